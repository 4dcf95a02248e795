/**
 * `pnpm start:rs` and `pnpm start:ts`: runs one server, which the script has built, with the flags that follow.
 *
 * The server is a child that gets every signal, so that Ctrl-C ends it as it would end without pnpm.
 */
import { spawn } from 'node:child_process';
import { isTargetName, TARGETS } from '@twin-ingest/testkit/servers/targets.ts';

const [name, ...words] = process.argv.slice(2);
if (name === undefined || !isTargetName(name)) {
  process.stderr.write('usage: pnpm start:rs|start:ts -- [flags]; --help lists them\n');
  process.exit(2);
}
const target = TARGETS[name];
// pnpm passes a bare `--` on.
const flags = words[0] === '--' ? words.slice(1) : words;
const child = spawn(target.command, [...target.args, ...flags], { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill('SIGTERM'));
// The terminal sends Ctrl-C to the child as well, so it must not end this process before the child has drained.
process.on('SIGINT', () => {});
child.once('error', (error) => {
  process.stderr.write(`${target.command}: ${error.message}\n`);
  process.exitCode = 1;
});
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
