/**
 * The row that an event leaves when it says nothing but `session_id`, `agent_type` and `event_type`.
 *
 * A case lists only what differs, yet every column is compared, in its order (rule GET-02).
 */

const DEFAULT_ROW: Readonly<Record<string, unknown>> = {
  id: '<any-id>',
  event_id: null,
  schema_version: 1,
  session_id: null,
  agent_type: 'agent',
  event_type: 'tool_use',
  tool_name: null,
  status: 'success',
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  branch: null,
  project: null,
  duration_ms: null,
  model: null,
  cost_usd: null,
  source: 'api',
  client_timestamp: null,
  created_at: '<any-timestamp>',
  payload_truncated: false,
  metadata: {},
};

/** The columns of a row, in their order. */
export const ROW_COLUMNS: readonly string[] = Object.keys(DEFAULT_ROW);

/** A whole row from what a case says of it. A name that is no column is an error of the case. */
export function wholeRow(says: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unknown = Object.keys(says).filter((name) => !ROW_COLUMNS.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is no column of a row`);
  return { ...DEFAULT_ROW, ...says };
}

/** A JSON value in which every object with the one key `<row>` has become the whole row that it says. */
export function withWholeRows(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWholeRows);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]![0] === '<row>')
    return wholeRow(entries[0]![1] as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, withWholeRows(item)]));
}
