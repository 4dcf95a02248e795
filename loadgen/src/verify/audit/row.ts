/**
 * A row of the view `events_readable` as the audit compares it: its columns and its digest.
 *
 * The digest has two levels, since only the ids of an event change when a pool is sent again. The rest is hashed once per
 * template. The result is hashed again with the ids of each event. Invariants: absent and empty differ, and columns cannot run into
 * each other. `id` and `created_at` are the server's own and not compared.
 */
import { hash } from 'node:crypto';
import CONTRACT from '../../../../contract/fields.json' with { type: 'json' };

export type Value = string | number | null;

/** In the order of the view. */
export const VIEW_COLUMNS: readonly string[] = CONTRACT.row;

const OWN = ['id', 'created_at', 'session_id', 'event_id'];

/** The columns that are the same whenever an event of the pool is sent again. */
export const CONSTANT_COLUMNS = VIEW_COLUMNS.filter((column) => !OWN.includes(column));

/** The value of each constant column. */
export type Constants = Readonly<Record<string, Value>>;

/** The hash of the constant columns, which stand in `values` from `from` on in their order. */
export function hashConstants(values: readonly Value[], from: number): string {
  let text = '';
  // No text of an event holds U+0000 (rule EVT-12), and no JSON text does.
  for (let i = from; i < values.length; i++) text += marked(values[i]!);
  return hash('sha256', text);
}

/** The hash of a whole row, a byte in each character, which is quicker to add than hex. */
export function hashRow(constants: string, sessionId: Value, eventId: Value): string {
  return hash('sha256', constants + marked(sessionId) + marked(eventId), 'binary');
}

/** Ends with a character that no value holds; an absent value is nothing before it. */
function marked(value: Value): string {
  return value === null ? '\0' : `=${value}\0`;
}

export function constantValues(constants: Constants): Value[] {
  return CONSTANT_COLUMNS.map((column) => constants[column]!);
}
