/**
 * `pnpm start:rs` and `pnpm start:ts`: builds one server if needed, and runs it with the given flags.
 *
 * The server is a child that receives every signal, so Ctrl-C ends it as it would without pnpm. Invariants: `--help`
 * builds nothing. Only the server writes to stdout.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { type FlagTable, flagLines } from '@twin-ingest/testkit/process/flags.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { isTargetName, TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { nameFlags } from './command-name.ts';
import { printHelp, warn } from './terminal.ts';

interface Option {
  readonly name: string;
  readonly value?: string;
  readonly default?: unknown;
  readonly help: string;
}

function usage(name: TargetName): string {
  const { label, build } = TARGETS[name];
  const options: readonly Option[] = CONFIG.options;
  const flags: FlagTable<string> = Object.fromEntries(
    options.map(({ name, value, default: preset, help }) => {
      const isShown = value !== undefined && ['string', 'number'].includes(typeof preset);
      return [
        name,
        { ...(value === undefined ? {} : { value }), help: isShown ? `${help} [${preset}]` : help },
      ];
    }),
  );
  return `Usage: pnpm start:${name} [-- FLAGS]

Runs the server in ${label}. Builds it first where that is needed, as pnpm ${build} does.

${flagLines(flags)}
Exit code: that of the server (docs/embedding.md).
`;
}

async function main(name: TargetName, flags: readonly string[]): Promise<number> {
  const lifetime = new Lifetime();
  let server: ChildProcess | undefined;
  process.on('SIGTERM', () => (server === undefined ? lifetime.interrupt() : server.kill('SIGTERM')));
  // The terminal sends Ctrl-C to the child as well, so this process must wait until the child has drained.
  process.on('SIGINT', () => (server === undefined ? lifetime.interrupt() : undefined));
  const target = TARGETS[name];
  try {
    await buildStale([{ name, program: target }], { lifetime, build: true, say: warn });
    server = spawn(target.command, [...target.args, ...flags, ...nameFlags(flags)], { stdio: 'inherit' });
    return await exitCode(server);
  } catch (error) {
    if (lifetime.signal.aborted) return 130;
    const lines = error instanceof Failure ? [error.message, ...error.details] : [String(error)];
    for (const line of lines) warn(`start:${name}: ${line}`);
    return 1;
  } finally {
    await lifetime.end();
  }
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

const [name, ...words] = process.argv.slice(2);
// pnpm passes a bare `--` on.
const flags = words[0] === '--' ? words.slice(1) : words;
if (name === undefined || !isTargetName(name)) {
  warn('Usage: pnpm start:rs|start:ts [-- FLAGS]; --help lists them');
  process.exitCode = 2;
} else if (flags.some((flag) => flag === '--help' || flag === '-h')) printHelp(usage(name));
else process.exitCode = await main(name, flags);
