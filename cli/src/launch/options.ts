/**
 * Splits the command line of `twin-ingest`: the first word is a command, and the server gets every other flag.
 *
 * Invariant: the server checks its own flags, so that no flag is listed twice.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import type { Runtime } from './runtime.ts';

export interface LaunchOptions {
  readonly runtime: Runtime | null;
  /** Whether the dashboard opens in the system's browser. */
  readonly open: boolean;
  /** Arguments of the server. */
  readonly flags: readonly string[];
  /** Whether the arguments run a command such as `backup` instead of a server. */
  readonly isCommand: boolean;
  /** The database that the server opens. */
  readonly db: string;
}

export type ParsedLaunch =
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: LaunchOptions };

type Environment = Readonly<Record<string, string | undefined>>;

/** The commands of the server itself, such as `backup`. */
export const SERVER_COMMANDS: readonly string[] = CONFIG.commands.map(({ name }) => name);

export function parseLaunch(
  argv: readonly string[],
  env: Environment,
  place = dataFolder(env),
): ParsedLaunch {
  const problems: string[] = [];
  const flags: string[] = [];
  let runtime: Runtime | null = null;
  let open = true;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const isSplit = word === '--runtime';
    if (isSplit || word.startsWith('--runtime=')) {
      const value = isSplit ? (argv[++at] ?? '') : word.slice('--runtime='.length);
      if (runtime !== null) problems.push('--runtime is given twice');
      if (value === 'rust' || value === 'node') runtime = value;
      else problems.push(`--runtime must be rust or node, not ${JSON.stringify(value)}`);
    } else if (word === '--no-open') open = false;
    // pnpm passes a bare `--` on.
    else if (word !== '--' || at > 0) flags.push(word);
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  const command = CONFIG.commands.find(({ name }) => name === flags[0]);
  const given = flagValue(flags, 'db') ?? (env.INGEST_DB || undefined);
  const db = given ?? join(place, 'events.db');
  const takesDb = command === undefined || command.options.includes('db');
  // The server reports a flag without its value.
  if (given === undefined && takesDb && !flags.includes('--db')) flags.push('--db', db);
  return { kind: 'run', options: { runtime, open, flags, db, isCommand: command !== undefined } };
}

/** Returns the last value of a flag among the server's arguments. */
export function flagValue(flags: readonly string[], name: string): string | undefined {
  const at = flags.lastIndexOf(`--${name}`);
  if (at >= 0) return flags[at + 1];
  return flags.findLast((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/** Returns the user's folder of data: a server that starts in any folder continues with the same file. */
export function dataFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'twin-ingest');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'twin-ingest');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'twin-ingest');
}
