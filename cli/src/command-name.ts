/**
 * The name of this command line, in help, messages and hints of the dashboard: what the user can paste into a shell.
 *
 * In a checkout the script `twin-ingest` passes the path that the user typed. An installed package knows whether npx
 * or another package manager runs it.
 */
import { join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { isPackaged } from './packaged/is-packaged.ts';

/** Folders in which npx and its like keep a package until they need the room: npm, pnpm and Yarn, Bun. */
const CACHES = /[\\/](_npx|dlx(-\d+)?|bunx-[^\\/]+)[\\/]/;
/** What a shell takes as one word, without quotes. */
const WORD = /^[\w@%+:,./-]+$/;

type Environment = Readonly<Record<string, string | undefined>>;

export const COMMAND = commandName(process.env, process.argv[1] ?? '', isPackaged);

/** How the user gets a newer server, as the beginning of a sentence. */
export const UPDATE = isPackaged ? 'Update twin-ingest' : 'Get the newest commit (git pull)';

export function commandName(env: Environment, program: string, isInstalled: boolean): string {
  if (!isInstalled) return shellWord(env.TWIN_INGEST_COMMAND || './twin-ingest');
  // npx and scripts of a project find the package of that project, which no PATH has.
  return env.npm_command || isInCache(program) ? 'npx twin-ingest' : 'twin-ingest';
}

/**
 * Returns the flag by which a server learns this name, for hints of its dashboard (rule PRO-19). A name that the user
 * gives the server stays.
 */
export function nameFlags(
  given: readonly string[],
  env: Environment = process.env,
  name = COMMAND,
): readonly string[] {
  const isGiven = env.INGEST_COMMAND_NAME || given.some((flag) => /^--command-name(=|$)/.test(flag));
  // A server would refuse a path with control characters, or a very long one.
  return isGiven || !isServerName(name) ? [] : ['--command-name', name];
}

function isServerName(name: string): boolean {
  return Buffer.byteLength(name) <= LIMITS.command_name_bytes && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
}

/** Returns the name that is valid in every folder, for a server that outlives the shell of the user. */
export function lastingName(env: Environment, cwd: string, name = COMMAND): string {
  if (name.startsWith('./') && !env.TWIN_INGEST_COMMAND) return shellWord(join(ROOT, name));
  return /^\.\.?\//.test(env.TWIN_INGEST_COMMAND ?? '')
    ? shellWord(join(cwd, env.TWIN_INGEST_COMMAND!))
    : name;
}

/** Returns whether a path is in a cache, from which it may disappear at any time. */
export function isInCache(path: string): boolean {
  return CACHES.test(path);
}

/** Quotes a word for a shell where that is needed. */
export function shellWord(word: string): string {
  return WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
