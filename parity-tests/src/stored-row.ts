/**
 * Builds the row of an event with only `session_id`, `agent_type` and `event_type`.
 *
 * A case lists only the differences, but every column is compared, in order (rule GET-02). `time`, `history` and
 * `metadata_bytes` follow from the others (rules TIM-01, TIM-03 and MET-04), because cases store events now.
 */

import { NUMBERED, protobufName } from '@twin-ingest/testkit/codecs/columns.ts';
import type { Format } from '@twin-ingest/testkit/codecs/format.ts';
import { memberSpans } from '@twin-ingest/testkit/events/metadata-span.ts';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };

interface Column {
  readonly kind: string;
  readonly default?: unknown;
  readonly value?: unknown;
}

const COLUMNS: Readonly<Record<string, Column>> = { ...CONTRACT.fields, ...CONTRACT.server_columns };
/** Values that the contract leaves open, or that a required field has here. */
const OWN: Readonly<Record<string, unknown>> = {
  id: '<any-id>',
  session_id: null,
  agent_type: 'agent',
  event_type: 'tool_use',
  created_at: '<any-timestamp>',
  time: '<any-timestamp>',
  history: false,
};
/** Sources whose clock may be slow, so that their arrival counts for `history`. */
const LIVE_SOURCES: readonly unknown[] = ['hook', 'otel'];

const DEFAULT_ROW: Readonly<Record<string, unknown>> = Object.fromEntries(
  CONTRACT.row.map((name) => {
    const { value, default: otherwise } = COLUMNS[name]!;
    return [name, name in OWN ? OWN[name] : (value ?? otherwise)];
  }),
);

/** The columns of a row, in order. */
export const ROW_COLUMNS: readonly string[] = Object.keys(DEFAULT_ROW);

/** Completes a row of a case. An unknown column is an error of the case. */
export function wholeRow(says: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unknown = Object.keys(says).filter((name) => !ROW_COLUMNS.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is no column of a row`);
  const row = { ...DEFAULT_ROW, ...says };
  const { client_timestamp, arrived_at, created_at, source } = row;
  const arrival = isBelieved(arrived_at) ? arrived_at : created_at;
  const time = isBelieved(client_timestamp) ? client_timestamp : arrival;
  return {
    ...row,
    time,
    history: isOld(LIVE_SOURCES.includes(source) ? arrival : time),
    metadata_bytes: row.payload_truncated === true ? originalBytes(row.metadata) : null,
    ...says,
  };
}

/** Returns the size that a summary has after its first marker; null where it is no plain integer. */
function originalBytes(metadata: unknown): number | null {
  const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  const digits = /^\{"_truncated":true,"_original_bytes":(0|[1-9]\d*)[,}]/.exec(text)?.[1];
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : null;
}

/** Returns whether a time counts as that of an event that is stored now. */
function isBelieved(time: unknown): boolean {
  const ms = msOf(time);
  return ms >= LIMITS.time_min_ms && ms <= Date.now() + LIMITS.time_ahead_ms;
}

/** Returns whether a time is that of history. A placeholder stands for a time of now. */
function isOld(time: unknown): boolean {
  return msOf(time) < Date.now() - LIMITS.history_ms;
}

/** Returns Unix milliseconds; NaN for a placeholder and for null. */
function msOf(time: unknown): number {
  return typeof time === 'number' ? time : Date.parse(String(time));
}

/** Replaces every object with the one key `<row>` by the whole row that it describes, in the form of `format`. */
export function withWholeRows(value: unknown, format: Format = 'json'): unknown {
  if (Array.isArray(value)) return value.map((item) => withWholeRows(item, format));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]![0] === '<row>')
    return rowIn(format, entries[0]![1] as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, withWholeRows(item, format)]));
}

/**
 * Returns a whole row in the form of this format (FMT-08, FMT-09). Metadata is text except in JSON and NDJSON, and
 * times are milliseconds in Protobuf and Arrow; a case writes both so.
 */
function rowIn(format: Format, says: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (format === 'json' || format === 'ndjson') return wholeRow(says);
  if (format === 'msgpack') return wholeRow({ metadata: '{}', ...says });
  const row = wholeRow({ metadata: '{}', created_at: '<any-milliseconds>', ...says });
  if (format === 'arrow') return row;
  return Object.fromEntries(
    NUMBERED.map((column) => [protobufName(column), row[column.name]]).filter(
      ([, value]) => value !== null && value !== 0 && value !== false,
    ),
  );
}

/**
 * Replaces every `<row>{…}</row>` of a body by the text of the whole row that it describes; values stay as written.
 */
export function withWholeRowTexts(body: string): string {
  return body.replace(/<row>(.*?)<\/row>/gs, (_, object: string) => {
    const says = new Map(memberSpans(object).map(({ key, text }) => [key, text]));
    const values = [...says].map(([name, text]) => [name, parsed(text)] as const);
    const members = Object.entries(wholeRow(Object.fromEntries(values))).map(([name, value]) => {
      const text = says.get(name) ?? (value === '<any-id>' ? value : JSON.stringify(value));
      return `"${name}":${text}`;
    });
    return `{${members.join(',')}}`;
  });
}

/** Returns the value of a JSON text; a placeholder that is no JSON stands for itself. */
function parsed(text: string): unknown {
  return text.startsWith('<') ? text : JSON.parse(text);
}
