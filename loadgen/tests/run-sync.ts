/** Runs `bench:sync` as a child process, with a temporary folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export async function runSyncProgram(
  folder: string,
  main: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const own = mkdtempSync(join(folder, 'run-'));
  const child = spawn(process.execPath, [main, ...argv], {
    env: { ...process.env, TMPDIR: own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr, left: readdirSync(own) };
}
