/**
 * `pnpm bench:pair`: the full comparison twice, and whether both say the same. The story is in pair.ts.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { pair } from './pair.ts';

// Ctrl-C reaches the run, too, which cleans up; this one waits for it.
process.on('SIGINT', () => undefined);

letReadersLeave();
process.exitCode = await pair(process.argv.slice(2), {
  program: fileURLToPath(new URL('./main.ts', import.meta.url)),
  first: resolve(ROOT, '.bench/pair/A.json'),
  second: resolve(ROOT, '.bench/pair/B.json'),
  document: resolve(ROOT, 'docs/benchmark-agreement.md'),
  draft: resolve(ROOT, '.bench/pair/agreement.md'),
  say: (line) => void process.stderr.write(`${line}\n`),
});
