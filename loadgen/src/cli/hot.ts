/**
 * `pnpm bench:hot`: the micro-benchmarks of both servers, with the same names: first Rust (criterion), then TypeScript
 * (tinybench).
 *
 * The first program that fails ends the run with its exit code.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { parseCommand, type Usage } from '../plan/parse.ts';
import { runCommand } from './run-command.ts';

const HOT: Usage<'hot'> = {
  name: 'hot',
  about:
    'Measures the pure parts of both servers one by one: scanning, checking, deduplication, answers. Takes some minutes.',
  exit: 'Exit: 0 measured, 2 a flag is wrong, else that of the benchmark that failed.',
};

const PROGRAMS: readonly (readonly [command: string, folder: string, ...args: string[]])[] = [
  ['cargo', ROOT, 'bench', '--locked', '-p', 'ingest-server', '--bench', 'hot'],
  [process.execPath, `${ROOT}server-ts`, '--import', './tests/load-sql.ts', 'bench/hot.ts'],
];

const parsed = parseCommand(HOT, process.argv.slice(2), (values) => values);
process.exitCode = await runCommand('hot', parsed, async () => {
  for (const [command, cwd, ...args] of PROGRAMS) {
    const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
    if (error !== undefined) throw error;
    if (status !== 0) return status ?? 1;
  }
  return 0;
});
