/**
 * Reads the settings files that Claude Code merges, and finds settings that block hooks and telemetry
 * (https://code.claude.com/docs/en/settings).
 *
 * An unreadable or malformed file is skipped here; the code that edits the file reports it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOGS_PATH, type Place, type ServerAddress, TOKEN_VARIABLE } from './agent.ts';
import { telemetryEnv } from './claude-env.ts';
import { isObject, type JsonObject, readObject } from './json-object.ts';
import type { Problem } from './problem.ts';
import { recipeOf } from './recipe.ts';
import { readSettings } from './settings-file.ts';

/** The route for hooks, as in contract/routes.json. */
const HOOK_PATH = `/api/hooks/${recipeOf('env').name}`;

export interface Scope {
  readonly path: string;
  readonly isManaged: boolean;
  readonly settings: JsonObject;
}

export function ownSettings({ home, env }: Place): string {
  return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json');
}

export function projectSettings({ cwd }: Place): string {
  return join(cwd, '.claude', 'settings.json');
}

/** Returns the files that a user may change, in order of precedence. */
export function claudeFiles(place: Place): string[] {
  const local = join(place.cwd, '.claude', 'settings.local.json');
  return [...new Set([local, projectSettings(place), ownSettings(place)])];
}

/** Returns every readable settings file, in order of precedence. */
export function readScopes(place: Place): Scope[] {
  const managed = managedFiles(place).map((path) => ({ path, isManaged: true }));
  const others = claudeFiles(place).map((path) => ({ path, isManaged: false }));
  return [...managed, ...others].flatMap(({ path, isManaged }) => {
    try {
      return [{ path, isManaged, settings: readObject(readSettings(path).text ?? '') }];
    } catch {
      return [];
    }
  });
}

/** Returns the settings that block sending to this server. `hasHttp` is whether hooks send over HTTP themselves. */
export function claudeObstacles(
  scopes: readonly Scope[],
  server: ServerAddress,
  hasHttp: boolean,
): Problem[] {
  const { origin, token_file } = server;
  const found: Problem[] = [];
  for (const { path, isManaged, settings } of scopes) {
    if (settings.disableAllHooks === true)
      found.push({
        code: isManaged ? 'managed' : 'hooks_off',
        what: `disableAllHooks is true in ${path}, so no hook runs.`,
        remedy: isManaged ? ASK : `Remove disableAllHooks from ${path}.`,
      });
    if (isManaged && settings.allowManagedHooksOnly === true)
      found.push({
        code: 'managed',
        what: `allowManagedHooksOnly is true in ${path}, so Claude Code runs none of your own hooks.`,
        remedy: `${ASK} Telemetry is not affected.`,
      });
    if (isManaged) found.push(...managedEnv(path, settings, origin));
  }
  if (!hasHttp) return found;
  const urls = listsOf(scopes, 'allowedHttpHookUrls');
  if (urls !== null && !urls.some((pattern) => matches(pattern, `${origin}${HOOK_PATH}`)))
    found.push({
      code: 'url_blocked',
      what: `allowedHttpHookUrls does not allow ${origin}${HOOK_PATH}, so Claude Code sends it no HTTP hook.`,
      remedy: `Add "${origin}/*" to allowedHttpHookUrls in ${fileOf(scopes, 'allowedHttpHookUrls')}.`,
    });
  const names = listsOf(scopes, 'httpHookAllowedEnvVars');
  if (token_file !== null && names !== null && !names.includes(TOKEN_VARIABLE))
    found.push({
      code: 'url_blocked',
      what: `httpHookAllowedEnvVars does not allow ${TOKEN_VARIABLE}, so HTTP hooks are sent without the token.`,
      remedy: `Add "${TOKEN_VARIABLE}" to httpHookAllowedEnvVars in ${fileOf(scopes, 'httpHookAllowedEnvVars')}.`,
    });
  return found;
}

const ASK = 'Only the administrator of this machine can change managed settings.';

function managedFiles({ system, platform }: Place): string[] {
  const folder =
    platform === 'darwin'
      ? join(system, 'Library', 'Application Support', 'ClaudeCode')
      : join(system, 'etc', 'claude-code');
  const more = join(folder, 'managed-settings.d');
  const parts = existsSync(more) ? readdirSync(more).filter((name) => name.endsWith('.json')) : [];
  return [join(folder, 'managed-settings.json'), ...parts.sort().map((name) => join(more, name))];
}

/** Finds variables of managed settings that send the logs elsewhere, or not at all. */
function managedEnv(path: string, { env }: JsonObject, origin: string): Problem[] {
  if (!isObject(env)) return [];
  return telemetryEnv(origin)
    .filter(([name, value]) => env[name] !== undefined && env[name] !== value)
    .map(([name]) => ({
      code: 'managed',
      what: `${path} sets ${name} to ${JSON.stringify(env[name])}, which overrides your own settings.`,
      remedy: `${ASK} Logs do not reach ${origin}${LOGS_PATH}.`,
    }));
}

/** Joins the lists of all files; `null` if no file has one. */
function listsOf(scopes: readonly Scope[], key: string): string[] | null {
  const lists = scopes.map(({ settings }) => settings[key]).filter((list) => Array.isArray(list));
  return lists.length === 0 ? null : lists.flat().filter((item) => typeof item === 'string');
}

function fileOf(scopes: readonly Scope[], key: string): string {
  return scopes.find(({ settings }) => Array.isArray(settings[key]))!.path;
}

/** Returns whether a pattern matches a URL. `*` matches any characters. */
function matches(pattern: string, url: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(url);
}
