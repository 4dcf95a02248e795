/**
 * The command line of `pnpm connect`: which agent, which settings file, which server.
 *
 * Paths are those of whoever calls: pnpm runs scripts in the root of the checkout and names the caller's folder in
 * `INIT_CWD`. Reads nothing but the environment it is given.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import type { HookServer } from './claude-hooks.ts';

export interface ConnectOptions {
  readonly settings: string;
  readonly server: HookServer;
  readonly undo: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export type ParsedConnect =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: ConnectOptions };

type Environment = Readonly<Record<string, string | undefined>>;
type Name = 'settings' | 'project' | 'url' | 'token-file' | 'undo' | 'dry-run' | 'yes';

/** Agents whose settings this can write; each has its hooks in contract/hooks/. */
export const AGENTS: readonly string[] = ['claude-code'];

const DEFAULTS = Object.fromEntries(CONFIG.options.map((option) => [option.name, option.default]));
const DEFAULT_ORIGIN = `http://${DEFAULTS.host}:${DEFAULTS.port}`;

const FLAGS: FlagTable<Name> = {
  settings: { value: 'FILE', help: 'settings file to write (default ~/.claude/settings.json)' },
  project: { help: 'write .claude/settings.json of the folder you are in instead of your own settings' },
  url: { value: 'URL', help: `server to send hooks to (default ${DEFAULT_ORIGIN})` },
  'token-file': { value: 'FILE', help: 'the file that the server has its token from' },
  undo: { help: 'take out what was written, and nothing else' },
  'dry-run': { help: 'show what would be written' },
  yes: { help: 'write without asking' },
};

const HELP = `Usage: pnpm connect ${AGENTS.join('|')} [flags]

Writes hooks into the agent's settings, so that everything it does shows on the dashboard.
Shows the change first, asks, and keeps a backup beside the file.

${flagLines(FLAGS)}
Exit code: 0 done or nothing to do, 1 not written, 2 a wrong flag.
`;

export function parseConnect(argv: readonly string[], env: Environment, cwd: string): ParsedConnect {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: HELP };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const problems: string[] = [];
  const [agent, ...rest] = words;
  const known = `there is ${AGENTS.join(', ')}`;
  if (agent === undefined) problems.push(`which agent? ${known}`);
  else if (!AGENTS.includes(agent)) problems.push(`unknown agent ${agent}; ${known}`);
  problems.push(...rest.map((word) => `unexpected argument ${word}`));
  if (flags.has('settings') && flags.has('project'))
    problems.push('--settings and --project both say which file; give one of them');
  for (const name of ['url', 'token-file'] as const)
    if (flags.has('undo') && flags.has(name)) problems.push(`--${name} has no meaning with --undo`);
  const origin = originOf(flags.get('url') ?? DEFAULT_ORIGIN, problems);
  const from = env.INIT_CWD || cwd;
  const path = (name: Name) => {
    const text = flags.get(name);
    return text === undefined ? undefined : resolve(from, text);
  };
  const own = join(env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude'), 'settings.json');
  const project = resolve(from, '.claude', 'settings.json');
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'run',
    options: {
      settings: path('settings') ?? (flags.has('project') ? project : own),
      server: { origin, token_file: path('token-file') ?? null },
      undo: flags.has('undo'),
      dryRun: flags.has('dry-run'),
      yes: flags.has('yes'),
    },
  };
}

/** Names and addresses alone: what is written ends up in a shell's command, and a password must not. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9a-f:.]+\])$/;

function originOf(text: string, problems: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    HOST.test(url.hostname) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    url.pathname === '/';
  if (isPlain) return url.origin;
  problems.push(`--url must be like ${DEFAULT_ORIGIN}, not ${text}`);
  return DEFAULT_ORIGIN;
}
