/** Parses the command line of `twin-ingest service`, and finds the server that it runs. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import { COMMAND, isInCache, lastingName, nameFlags } from '../command-name.ts';
import { placeOf } from '../connect/options.ts';
import { databasePath } from '../lifecycle/database.ts';
import { isRuntime, programOf, RUNTIMES, type Runtime } from '../lifecycle/program.ts';
import type { Server } from './service.ts';

export const ACTIONS = ['install', 'uninstall', 'status'] as const;

export interface ServiceOptions {
  readonly action: (typeof ACTIONS)[number];
  readonly database: string;
  readonly server: Server;
  readonly yes: boolean;
}

export type ParsedService =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: ServiceOptions };

const FLAGS: FlagTable<'db' | 'runtime' | 'program' | 'yes'> = {
  db: { value: 'FILE', help: 'the database [in your folder of data]' },
  runtime: { value: 'NAME', help: `${RUNTIMES.join(' or ')}; the first that is there by default` },
  program: { value: 'FILE', help: 'run this server instead' },
  yes: { help: 'write without asking' },
};

const HELP = `Usage: ${COMMAND} service ${ACTIONS.join('|')} [flags] [-- SERVER FLAGS]

Keeps a server running while you are signed in, as a service of your user: a unit of systemd. For launchd and the task
scheduler of Windows it writes the file, and you run the commands that it shows.
install and uninstall show what they write and run, and ask first. uninstall leaves the database.

${flagLines(FLAGS)}
Exit code: 0 done, or the service runs; 1 not done, or it does not run; 2 a wrong flag.
`;

const IN_CACHE =
  'npx may remove this server from its cache at any time; first run npm install -g twin-ingest';

export async function parseService(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  complain: (line: string) => void,
): Promise<ParsedService> {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const split = words.indexOf('--');
  const [own, flags] = split < 0 ? [words, []] : [words.slice(0, split), words.slice(split + 1)];
  const parsed = parseFlags(own, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: HELP };
  if (parsed.kind === 'wrong') return parsed;
  const [word, ...rest] = parsed.words;
  const action = ACTIONS.find((name) => name === word);
  const problems = rest.map((extra) => `unexpected argument ${extra}`);
  if (action === undefined) problems.unshift(`which action? there is ${ACTIONS.join(', ')}`);
  const runtime = parsed.flags.get('runtime');
  if (runtime !== undefined && !isRuntime(runtime))
    problems.push(`--runtime must be ${RUNTIMES.join(' or ')}`);
  if (flags.some((flag) => /^--db(=|$)/.test(flag))) problems.push("--db cannot be among the server's flags");
  if (flags.some((flag) => /[\r\n]/.test(flag))) problems.push('a flag of the server cannot have line ends');
  const place = placeOf(env, cwd);
  const file = parsed.flags.get('program');
  // Only an installation needs a program, which a checkout may have to build.
  const isNeeded = file === undefined && action === 'install' && problems.length === 0;
  const program = isNeeded
    ? await programOf(runtime as Runtime | undefined, complain)
    : { command: resolve(place.cwd, file ?? ''), args: [] };
  if (typeof program === 'string') problems.push(program);
  else if (action === 'install' && [program.command, ...program.args].some(isInCache))
    problems.push(IN_CACHE);
  if (problems.length > 0 || typeof program === 'string' || action === undefined)
    return { kind: 'wrong', problems };
  const db = parsed.flags.get('db');
  const database = databasePath(db ?? join(dataFolder(env), 'events.db'), place.cwd);
  // The default port, so that agents which are connected find the server.
  const port = flags.some((flag) => /^--port(=|$)/.test(flag)) ? [] : ['--port', String(DEFAULT_PORT)];
  const name = file === undefined ? nameFlags(flags, env, lastingName(env, cwd)) : [];
  const args = [...program.args, '--db', database, ...port, ...flags, ...name];
  const server = { command: lastingPath(program.command), args, log: `${database}.log` };
  return { kind: 'run', options: { action, database, server, yes: parsed.flags.has('yes') } };
}

/** Returns a path to the same program without the version that pnpm writes into it, if there is one. */
export function lastingPath(program: string): string {
  const [, root, name] =
    /^(.*)[\\/]node_modules[\\/]\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/](.+)$/.exec(program) ?? [];
  if (root === undefined || name === undefined) return program;
  const lasting = join(root, 'node_modules', name);
  return existsSync(lasting) && realpathSync(lasting) === realpathSync(program) ? lasting : program;
}

const DEFAULT_PORT = CONFIG.options.find(({ name }) => name === 'port')?.default;

function dataFolder(env: NodeJS.ProcessEnv): string {
  const { platform } = process;
  if (platform === 'win32')
    return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'twin-ingest');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'twin-ingest');
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'twin-ingest');
}
