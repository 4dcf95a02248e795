/**
 * The events of one call as one entry of the feed: a call begins with one hook, may wait for permission, and ends with
 * another. Telemetry tells of the same call later. They have the same `call_id` in the same session.
 *
 * Invariant: every row is in one entry. An entry stands where the call began, so that it completes in its place.
 */
import type { Row } from './api.ts';

export interface Entry {
  /** The event that says how the call stands. */
  readonly row: Row;
  /** The other events of the same call, newest first. */
  readonly parts: readonly Row[];
  /** The row of the list at whose place the entry stands. */
  readonly at: Row;
}

/** Hooks after which a call still runs. */
const RUNNING: readonly (string | null)[] = ['PreToolUse', 'PermissionRequest'];

/** Whether the call has no end yet, as far as rows tell. */
export function isRunning({ source, source_event, call_id }: Row): boolean {
  return source === 'hook' && call_id !== null && RUNNING.includes(source_event);
}

/** Names a call, for what is kept of it while the page is open. */
export function callKey({ session_id, call_id }: Row): string {
  return `${session_id}\n${call_id}`;
}

/** `rows`: newest first. */
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

/** The result, else the newest hook: what telemetry says of a call comes seconds after its hooks. */
function standing(call: readonly Row[]): Row {
  const result = call.find(({ event_type }) => event_type === 'tool_use');
  return result ?? call.find(({ source }) => source === 'hook') ?? call[0]!;
}
