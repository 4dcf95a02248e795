/**
 * Groups the events of one call into one entry of the feed. A call starts with one hook, may wait for permission, and
 * ends with another hook; telemetry reports the same call later. All have the same `call_id` in the same session.
 *
 * Invariant: every row is in exactly one entry. An entry stays at the position where the call started.
 */
import type { Row } from './api.ts';

export interface Entry {
  /** The event that determines the call's state. */
  readonly row: Row;
  /** The other events of the same call, newest first. */
  readonly parts: readonly Row[];
  /** The row of the list whose position the entry has. */
  readonly at: Row;
}

/** Hooks after which a call is still running. */
const RUNNING: readonly (string | null)[] = ['PreToolUse', 'PermissionRequest'];

/** Returns whether the loaded rows contain no end of the call yet. */
export function isRunning({ source, source_event, call_id }: Row): boolean {
  return source === 'hook' && call_id !== null && RUNNING.includes(source_event);
}

/** Returns the key of a call, for state that lasts while the dashboard is open. */
export function callKey({ session_id, call_id }: Row): string {
  return `${session_id}\n${call_id}`;
}

/** Returns the entries of rows; both lists have the newest first. */
export function entriesOf(rows: readonly Row[]): Entry[] {
  const calls = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.call_id === null) continue;
    const call = calls.get(callKey(row));
    if (call === undefined) calls.set(callKey(row), [row]);
    else call.push(row);
  }
  return rows.flatMap((at) => {
    if (at.call_id === null) return [{ row: at, parts: [], at }];
    const call = calls.get(callKey(at))!;
    if (call.at(-1) !== at) return [];
    const row = standing(call);
    return [{ row, parts: call.filter((part) => part !== row), at }];
  });
}

/**
 * Returns the row that determines the call's state: its result, otherwise its newest hook. Telemetry about a call
 * arrives seconds after its hooks.
 */
function standing(call: readonly Row[]): Row {
  const result = call.find(({ event_type }) => event_type === 'tool_use');
  return result ?? call.find(({ source }) => source === 'hook') ?? call[0]!;
}
