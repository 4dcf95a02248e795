/** `pnpm publish:crate`: publishes the crate `ingest-server`; cargo first builds it from the packed files. */
import { join } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { stageCrate } from './crate.ts';
import { OUT } from './npm-packages.ts';
import { run } from './run.ts';

const FLAGS: FlagTable<'dry-run'> = { 'dry-run': { help: 'do everything except the upload' } };

const parsed = parseFlags(process.argv.slice(2), FLAGS);
if (parsed.kind === 'help') {
  process.stdout.write(`Usage: pnpm publish:crate [flags]

Publishes the crate ingest-server with the token of CARGO_REGISTRY_TOKEN.

${flagLines(FLAGS)}`);
} else if (parsed.kind === 'wrong') {
  for (const problem of parsed.problems) process.stderr.write(`publish:crate: ${problem}\n`);
  process.exitCode = 2;
} else {
  const folder = join(OUT, 'stage', 'crate');
  stageCrate(folder);
  // The job that packs a release has already built the packed files (packaging/src/crate.ts).
  const args = ['publish', '--allow-dirty', '--locked', '--no-verify'];
  await run('cargo', parsed.flags.has('dry-run') ? [...args, '--dry-run'] : args, { cwd: folder });
  process.stdout.write('published ingest-server\n');
}
