/**
 * `pnpm bench:hot`: the micro-benchmarks of both servers, by the same names, first Rust (criterion), then TypeScript
 * (tinybench).
 *
 * The first program that fails ends the run with its exit code.
 */
import { spawnSync } from 'node:child_process';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

const PROGRAMS: readonly (readonly [command: string, folder: string, ...args: string[]])[] = [
  ['cargo', ROOT, 'bench', '--locked', '-p', 'ingest-server', '--bench', 'hot'],
  [process.execPath, `${ROOT}server-ts`, '--import', './tests/load-sql.ts', 'bench/hot.ts'],
];

answerHelp(`Usage: pnpm bench:hot

Measures the pure parts of both servers one by one: scanning, checking, deduplication, answers. Takes some minutes.

Exit: 0 measured, else that of the benchmark that failed.
`);
for (const [command, cwd, ...args] of PROGRAMS) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) process.stderr.write(`bench:hot: ${error.message}\n`);
  process.exitCode = status ?? 1;
  if (process.exitCode !== 0) break;
}
