/**
 * The member `hooks` of a settings file in JSON: an event, then groups `{"matcher"?, "hooks": [handler]}`, as Claude
 * Code (https://code.claude.com/docs/en/hooks) and Codex (https://developers.openai.com/codex/hooks) have them.
 *
 * The text is edited, not written anew: what is not a hook of ours keeps its bytes, its order and its spelling of
 * numbers. Invariant: an edit done twice is an edit done once; what cannot be edited safely is an error and no edit.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Change, SettingsError, type TextEdit } from './agent.ts';
import { appended, type Path, without } from './json-edit.ts';
import { isObject, readMember } from './json-object.ts';

/** The hooks that are ours: a module per agent has them. */
export interface HookKind {
  /** Whether a handler is, to the letter, what is written for some server. */
  isOwn(handler: unknown): boolean;
  /** Whether a handler sends hooks to a server of this project, changed by hand or not; with `origin`: to this one. */
  isAbout(handler: unknown, origin?: string): boolean;
  /** For a person to read. */
  describe(handler: unknown): string;
}

/** Every wanted hook sent to this server, and to no other that was connected before. */
export function withHooks(
  text: string,
  kind: HookKind,
  wanted: ReadonlyMap<string, unknown>,
  origin: string,
): TextEdit {
  const { text: cleared, changes } = withoutOwn(text, kind, wanted);
  let edited = cleared;
  if (readMember(edited, 'hooks') === undefined) edited = appended(edited, [], {}, 'hooks');
  for (const [event, handler] of wanted) {
    const groups = hooksOf(edited)[event];
    const handlers = groups?.flatMap((group) => group.hooks) ?? [];
    if (handlers.some((present) => isDeepStrictEqual(present, handler))) continue;
    const changed = handlers.find((present) => kind.isAbout(present, origin));
    if (changed !== undefined) {
      changes.push({ kind: 'keep', name: event, value: kind.describe(changed) });
      continue;
    }
    changes.push({ kind: 'add', name: event, value: kind.describe(handler) });
    const group = { hooks: [handler] };
    if (groups === undefined) edited = appended(edited, ['hooks'], [group], event);
    else edited = appended(edited, ['hooks', event], group);
  }
  return { text: edited, changes };
}

/** Without any hook that was written here; what was changed by hand stays. */
export function withoutHooks(text: string, kind: HookKind): TextEdit {
  const { text: edited, changes } = withoutOwn(text, kind, new Map());
  for (const { event, handler } of handlersOf(edited)) {
    if (kind.isAbout(handler)) changes.push({ kind: 'keep', name: event, value: kind.describe(handler) });
  }
  return { text: edited, changes };
}

export interface PlacedHandler {
  readonly event: string;
  /** The place of its group in the event's list, and its own in the group. */
  readonly group: number;
  readonly at: number;
  readonly handler: unknown;
}

/** Every handler of the settings, in their order. */
export function handlersOf(text: string): PlacedHandler[] {
  return Object.entries(hooksOf(text)).flatMap(([event, groups]) =>
    groups.flatMap(({ hooks }, group) => hooks.map((handler, at) => ({ event, group, at, handler }))),
  );
}

interface Group {
  readonly hooks: readonly unknown[];
}

/** Own handlers taken out, but for one of each event that is wanted as it stands. */
function withoutOwn(
  text: string,
  kind: HookKind,
  wanted: ReadonlyMap<string, unknown>,
): { readonly text: string; readonly changes: Change[] } {
  const changes: Change[] = [];
  let edited = text;
  for (;;) {
    const stale = firstStale(edited, kind, wanted);
    if (stale === undefined) return { text: edited, changes };
    const { event, group, at, handler } = stale;
    const hooks = hooksOf(edited);
    changes.push({ kind: 'remove', name: event, value: kind.describe(handler) });
    // What is left empty by it goes too: it means nothing to the agent.
    let path: Path = ['hooks', event, group, 'hooks', at];
    if (hooks[event]![group]!.hooks.length === 1) path = ['hooks', event, group];
    if (path.length === 3 && hooks[event]!.length === 1) path = ['hooks', event];
    if (path.length === 2 && Object.keys(hooks).length === 1) path = ['hooks'];
    edited = without(edited, path);
  }
}

function firstStale(
  text: string,
  kind: HookKind,
  wanted: ReadonlyMap<string, unknown>,
): PlacedHandler | undefined {
  const seen = new Set<string>();
  return handlersOf(text).find(({ event, handler }) => {
    if (!kind.isOwn(handler)) return false;
    if (seen.has(event) || !isDeepStrictEqual(handler, wanted.get(event))) return true;
    seen.add(event);
    return false;
  });
}

/** The groups of each event, checked. */
function hooksOf(text: string): Readonly<Record<string, readonly Group[]>> {
  const hooks = readMember(text, 'hooks') ?? {};
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups) || !groups.every((group) => isObject(group) && Array.isArray(group.hooks)))
      throw new SettingsError('shape', `has "hooks" for ${JSON.stringify(event)} that are no list of groups`);
  }
  return hooks as Readonly<Record<string, readonly Group[]>>;
}
