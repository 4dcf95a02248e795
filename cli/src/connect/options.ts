/**
 * Parses the command line of `twin-ingest connect`: the agent, the settings file, the server.
 *
 * Paths are relative to the caller: pnpm runs scripts in the root of the checkout and passes the caller's folder in
 * `INIT_CWD`. Reads only the given environment.
 */
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from '../command-name.ts';
import { type Agent, type Choice, DEFAULT_ORIGIN, type Place, type ServerAddress } from './agent.ts';
import { AGENTS, agentOf } from './agents.ts';
import { ALL_RECIPES } from './recipe.ts';

export interface ConnectOptions {
  readonly agent: Agent;
  readonly place: Place;
  readonly choice: Choice;
  readonly server: ServerAddress;
  readonly undo: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export type ParsedConnect =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: ConnectOptions };

type Environment = Place['env'];
type Name = 'settings' | 'project' | 'url' | 'token-file' | 'undo' | 'dry-run' | 'yes';

const FLAGS: FlagTable<Name> = {
  settings: { value: 'FILE', help: 'write this settings file instead of your own' },
  project: { help: 'write the settings of the folder you are in instead of your own' },
  url: { value: 'URL', help: `server to send to (default ${DEFAULT_ORIGIN})` },
  'token-file': { value: 'FILE', help: 'the file that the server has its token from' },
  undo: { help: 'take out what was written, and nothing else' },
  'dry-run': { help: 'show what would be written' },
  yes: { help: 'write without asking' },
};

const NAMES = AGENTS.map(({ name }) => name);

/** Returns the lines of all agents: which file is written, and what it sends. */
function agentLines(): string {
  const width = Math.max(...NAMES.map(({ length }) => length)) + 4;
  return ALL_RECIPES.flatMap(({ command, help }) =>
    help.map((line, at) => `${(at === 0 ? `  ${command}` : '').padEnd(width)}${line}`),
  ).join('\n');
}

const HELP = `Usage: ${COMMAND} connect ${NAMES.join('|')} [flags]

Writes into the agent's settings, so that what it does shows on the dashboard.
Shows the change first, asks, and keeps a backup next to the file.

${agentLines()}

${flagLines(FLAGS)}
Exit code: 0 done or nothing to do, 1 not written, 2 a wrong flag.
${COMMAND} doctor says whether what is connected arrives.
`;

export function parseConnect(argv: readonly string[], env: Environment, cwd: string): ParsedConnect {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: HELP };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const problems: string[] = [];
  const [name, ...rest] = words;
  const agent = agentOf(name);
  const known = `there is ${NAMES.join(', ')}`;
  if (name === undefined) problems.push(`which agent? ${known}`);
  else if (agent === undefined) problems.push(`unknown agent ${name}; ${known}`);
  problems.push(...rest.map((word) => `unexpected argument ${word}`));
  if (flags.has('settings') && flags.has('project'))
    problems.push('--settings and --project both say which file; give one of them');
  if (flags.has('project') && agent?.hasProjects === false)
    problems.push(`--project has no meaning for ${agent.name}, which reads your own settings alone`);
  for (const flag of ['url', 'token-file'] as const)
    if (flags.has('undo') && flags.has(flag)) problems.push(`--${flag} has no meaning with --undo`);
  const origin = originOf(flags.get('url') ?? DEFAULT_ORIGIN, problems);
  const place = placeOf(env, cwd);
  const path = (flag: Name) => {
    const text = flags.get(flag);
    return text === undefined ? null : resolve(place.cwd, text);
  };
  if (problems.length > 0 || agent === undefined) return { kind: 'wrong', problems };
  const file = path('settings');
  return {
    kind: 'run',
    options: {
      agent,
      place,
      choice: file !== null ? { file } : flags.has('project') ? 'project' : 'own',
      server: { origin, token_file: path('token-file') },
      undo: flags.has('undo'),
      dryRun: flags.has('dry-run'),
      yes: flags.has('yes'),
    },
  };
}

export function placeOf(env: Environment, cwd: string): Place {
  const { platform } = process;
  const hasCurl = platform !== 'win32' && isOnPath('curl', env);
  return { home: homedir(), cwd: env.INIT_CWD || cwd, env, system: '/', platform, hasCurl };
}

function isOnPath(program: string, { PATH = '' }: Environment): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Matches only names and addresses. The value becomes part of a shell command, and must not contain a password. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9a-f:.]+\])$/;

export function originOf(text: string, problems: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    HOST.test(url.hostname) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    url.pathname === '/';
  if (isPlain) return url.origin;
  // What is wrong may be the user and the password, or a query with a token.
  const [, scheme = '', rest = ''] = /^([^@/?#]*:\/\/)?(.*)$/s.exec(text)!;
  const host = rest.replace(/^.*@/s, '***@').replace(/([?#]).+$/s, '$1***');
  problems.push(`--url must be like ${DEFAULT_ORIGIN}, not ${scheme}${host}`);
  return DEFAULT_ORIGIN;
}
