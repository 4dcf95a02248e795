/**
 * The text of a settings file of Claude Code, connected to a server or no longer: `hooks`, then the event, then
 * groups `{"matcher"?, "hooks": [handler]}` (https://code.claude.com/docs/en/settings).
 *
 * The text is edited, not written anew: whatever is not a hook of ours keeps its bytes, its order and its spelling of
 * numbers. What must stay true: an edit done twice is an edit done once; what cannot be edited safely is an error and
 * no edit. Knows nothing of files.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Node, parseTree } from 'jsonc-parser';
import { type Handler, type HookServer, handlersFor, isAbout, isOwn } from './claude-hooks.ts';
import { appended, type Path, without } from './json-edit.ts';

/** `keep`: somebody changed what was written, so that it is no longer ours to change. */
export interface Change {
  readonly kind: 'add' | 'remove' | 'keep';
  readonly event: string;
  readonly handler: Handler;
}

export interface Edit {
  /** As it was where there is nothing to change. */
  readonly text: string;
  readonly changes: readonly Change[];
}

/** `not_json` and `twice` concern the text, `shape` what it holds. */
export type SettingsProblem = 'not_json' | 'twice' | 'shape';

export class SettingsError extends Error {
  readonly code: SettingsProblem;
  constructor(code: SettingsProblem, message: string) {
    super(message);
    this.name = 'SettingsError';
    this.code = code;
  }
}

/** Every hook of the contract sent to this server, and to no other that was connected before. */
export function connected(text: string, server: HookServer): Edit {
  const wanted = handlersFor(server);
  const { text: cleared, changes } = withoutOwn(text, wanted);
  let edited = cleared;
  if (parse(edited).hooks === undefined) edited = appended(edited, [], {}, 'hooks');
  for (const [event, handler] of wanted) {
    const groups = hooksOf(edited)[event];
    const handlers = groups?.flatMap((group) => group.hooks) ?? [];
    if (handlers.some((present) => isDeepStrictEqual(present, handler))) continue;
    const changed = handlers.find((present) => isAbout(present, server.origin));
    if (changed !== undefined) {
      changes.push({ kind: 'keep', event, handler: changed as Handler });
      continue;
    }
    changes.push({ kind: 'add', event, handler });
    const group = { hooks: [handler] };
    if (groups === undefined) edited = appended(edited, ['hooks'], [group], event);
    else edited = appended(edited, ['hooks', event], group);
  }
  return { text: edited, changes };
}

/** Without any hook that was written here; what was changed by hand stays. */
export function disconnected(text: string): Edit {
  const { text: edited, changes } = withoutOwn(text, new Map());
  for (const [event, groups] of Object.entries(hooksOf(edited))) {
    for (const handler of groups.flatMap((group) => group.hooks).filter((one) => isAbout(one)))
      changes.push({ kind: 'keep', event, handler: handler as Handler });
  }
  return { text: edited, changes };
}

/** What else of the settings keeps hooks from being sent, as sentences. */
export function obstaclesTo(text: string, server: HookServer): string[] {
  const settings = parse(text);
  const found: string[] = [];
  if (settings.disableAllHooks === true) found.push('disableAllHooks is true: no hook runs.');
  for (const [key, needed] of [
    ['allowedHttpHookUrls', `${server.origin}/*`],
    ['httpHookAllowedEnvVars', server.token_file === null ? null : 'the variable of the token'],
  ] as const) {
    if (Array.isArray(settings[key]) && needed !== null)
      found.push(`${key} is set: HTTP hooks are sent only if it allows ${needed}.`);
  }
  return found;
}

interface Group {
  readonly hooks: readonly unknown[];
}

interface Place {
  readonly event: string;
  readonly group: number;
  readonly at: number;
  readonly handler: Handler;
}

/** Own handlers taken out, but for one of each event that is wanted as it stands. */
function withoutOwn(
  text: string,
  wanted: ReadonlyMap<string, Handler>,
): { readonly text: string; readonly changes: Change[] } {
  const changes: Change[] = [];
  let edited = text;
  for (;;) {
    const hooks = hooksOf(edited);
    const place = firstStale(hooks, wanted);
    if (place === undefined) return { text: edited, changes };
    const { event, group, at, handler } = place;
    changes.push({ kind: 'remove', event, handler });
    // What is left empty by it goes too: it means nothing to Claude Code.
    let path: Path = ['hooks', event, group, 'hooks', at];
    if (hooks[event]![group]!.hooks.length === 1) path = ['hooks', event, group];
    if (path.length === 3 && hooks[event]!.length === 1) path = ['hooks', event];
    if (path.length === 2 && Object.keys(hooks).length === 1) path = ['hooks'];
    edited = without(edited, path);
  }
}

function firstStale(
  hooks: Readonly<Record<string, readonly Group[]>>,
  wanted: ReadonlyMap<string, Handler>,
): Place | undefined {
  for (const [event, groups] of Object.entries(hooks)) {
    let isThere = false;
    for (const [group, { hooks: handlers }] of groups.entries()) {
      for (const [at, handler] of handlers.entries()) {
        if (!isOwn(handler)) continue;
        if (isThere || !isDeepStrictEqual(handler, wanted.get(event))) return { event, group, at, handler };
        isThere = true;
      }
    }
  }
  return undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    throw new SettingsError('not_json', `is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(settings)) throw new SettingsError('shape', 'is no JSON object');
  return settings;
}

/** The groups of each event, checked; a key given twice would be edited in one place and read in the other. */
function hooksOf(text: string): Readonly<Record<string, readonly Group[]>> {
  const { hooks = {} } = parse(text);
  const twice = keyGivenTwice(parseTree(text), 0);
  if (twice !== undefined) throw new SettingsError('twice', `has the key ${JSON.stringify(twice)} twice`);
  if (!isObject(hooks)) throw new SettingsError('shape', 'has "hooks" that are no object');
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups) || !groups.every((group) => isObject(group) && Array.isArray(group.hooks)))
      throw new SettingsError('shape', `has "hooks" for ${JSON.stringify(event)} that are no list of groups`);
  }
  return hooks as Readonly<Record<string, readonly Group[]>>;
}

/** In the object itself and in everything of `hooks`. */
function keyGivenTwice(node: Node | undefined, depth: number): string | undefined {
  const seen = new Set<string>();
  for (const child of node?.children ?? []) {
    let value: Node | undefined = child;
    if (child.type === 'property') {
      const key = String(child.children![0]!.value);
      if (seen.has(key)) return key;
      seen.add(key);
      value = depth > 0 || key === 'hooks' ? child.children![1] : undefined;
    }
    const found = keyGivenTwice(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
