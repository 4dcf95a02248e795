/**
 * Edits the member `hooks` of a JSON settings file: an event, then groups `{"matcher"?, "hooks": [handler]}`, as in
 * Claude Code (https://code.claude.com/docs/en/hooks) and Codex (https://developers.openai.com/codex/hooks).
 *
 * The text is edited, not rewritten: everything except our hooks keeps its bytes, its order and its spelling of
 * numbers. Invariant: applying an edit twice equals applying it once; a text that cannot be edited safely is an
 * error.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Change, SettingsError, type TextEdit } from './agent.ts';
import { appended, type Path, without } from './json-edit.ts';
import { isObject, readMember } from './json-object.ts';

/** Describes our hooks; agent-hooks.ts supplies one for each agent. */
export interface HookKind {
  /** Whether the settings may contain comments. */
  readonly hasComments: boolean;
  /** Returns whether a handler equals one that this program writes, for some server. */
  isOwn(handler: unknown): boolean;
  /**
   * Returns whether a handler sends hooks to a server of this project, even if changed by hand. With `origin`, only
   * that server counts.
   */
  isAbout(handler: unknown, origin?: string): boolean;
  /** Describes a handler for the user. */
  describe(handler: unknown): string;
}

/** Connects every wanted hook to this server, and disconnects it from any earlier one. */
export function withHooks(
  text: string,
  kind: HookKind,
  wanted: ReadonlyMap<string, unknown>,
  origin: string,
): TextEdit {
  const { text: cleared, changes } = withoutOwn(text, kind, wanted);
  let edited = cleared;
  if (wanted.size > 0 && readMember(edited, 'hooks', kind.hasComments) === undefined)
    edited = appended(edited, [], {}, 'hooks');
  for (const [event, handler] of wanted) {
    const groups = hooksOf(edited, kind.hasComments)[event];
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

/** Removes every hook that we wrote; hooks changed by hand stay. */
export function withoutHooks(text: string, kind: HookKind): TextEdit {
  const { text: edited, changes } = withoutOwn(text, kind, new Map());
  for (const { event, handler } of handlersOf(edited, kind.hasComments)) {
    if (kind.isAbout(handler)) changes.push({ kind: 'keep', name: event, value: kind.describe(handler) });
  }
  return { text: edited, changes };
}

export interface PlacedHandler {
  readonly event: string;
  /** Index of the handler's group in the event's list, and index of the handler in the group. */
  readonly group: number;
  readonly at: number;
  readonly handler: unknown;
}

/** Returns every handler of the settings, in order. */
export function handlersOf(text: string, hasComments = false): PlacedHandler[] {
  return Object.entries(hooksOf(text, hasComments)).flatMap(([event, groups]) =>
    groups.flatMap(({ hooks }, group) => hooks.map((handler, at) => ({ event, group, at, handler }))),
  );
}

interface Group {
  readonly hooks: readonly unknown[];
}

/** Removes our handlers, except one per event that already has the wanted form. */
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
    const hooks = hooksOf(edited, kind.hasComments);
    changes.push({ kind: 'remove', name: event, value: kind.describe(handler) });
    // Also removes containers that become empty: they have no meaning for the agent.
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
  return handlersOf(text, kind.hasComments).find(({ event, handler }) => {
    if (!kind.isOwn(handler)) return false;
    if (seen.has(event) || !isDeepStrictEqual(handler, wanted.get(event))) return true;
    seen.add(event);
    return false;
  });
}

/** Returns the checked groups of each event. */
function hooksOf(text: string, hasComments: boolean): Readonly<Record<string, readonly Group[]>> {
  const hooks = readMember(text, 'hooks', hasComments) ?? {};
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups) || !groups.every((group) => isObject(group) && Array.isArray(group.hooks)))
      throw new SettingsError('shape', `has "hooks" for ${JSON.stringify(event)} that are no list of groups`);
  }
  return hooks as Readonly<Record<string, readonly Group[]>>;
}
