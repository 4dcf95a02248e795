/** The subcommands of `./twin-ingest`, as its help lists them. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function subcommands(): readonly string[] {
  const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
  const help = execFileSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  return [...help.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name!);
}
