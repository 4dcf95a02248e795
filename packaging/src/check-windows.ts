/**
 * `pnpm windows:check`: compiles and lints the Rust server for Windows, without linking it (decision 99).
 *
 * So each change compiles every line behind `cfg(windows)`. zig compiles SQLite and the other C code for Windows.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { platformNamed } from './platforms.ts';
import { run } from './run.ts';
import { zigEnvironment } from './tools.ts';

answerHelp(`Usage: pnpm windows:check

Compiles and lints the Rust server for Windows with clippy. pnpm pack:binary win32-x64 also links it.
`);

const { triple } = platformNamed('win32-x64');
await run('rustup', ['target', 'add', triple]);
const env = await zigEnvironment();
const args = ['clippy', '--locked', '-p', 'ingest-server', '--target', triple];
const child = spawn('cargo-zigbuild', [...args, '--', '-D', 'warnings'], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
});
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code === 0 ? 0 : 1;
