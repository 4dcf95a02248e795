/**
 * The columns of the view `events_readable`, and the row that one event must result in, by the rules EVT and MET of the
 * contract.
 *
 * The code follows the rules and not a server's source, so that it can check both servers. It does not validate: an
 * event that a server must reject also gets an expected row. A corpus with such an event therefore fails the audit.
 */
import { memberSpans, memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import CONFIG from '../../../../contract/config.json' with { type: 'json' };
import CONTRACT from '../../../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../../../contract/vocabulary.json' with { type: 'json' };

import { expectedCost } from './expected-cost.ts';

export type Value = string | number | null;

export const VIEW_COLUMNS: readonly string[] = CONTRACT.row;

/** Columns that the file has as 0 or 1, and a response as a boolean. */
export const BOOLEAN_COLUMNS: readonly string[] = ['history', 'payload_truncated'];

/** The arrival decides `time` and `history` of events without a time of their own (rules TIM-01 and TIM-03). */
const OWN = ['id', 'created_at', 'time', 'history', 'session_id', 'event_id'];

/** Columns that do not change when an event of the pool is sent again. */
export const CONSTANT_COLUMNS = VIEW_COLUMNS.filter((column) => !OWN.includes(column));

interface FieldSpec {
  readonly kind: string;
  readonly trimmed?: boolean;
  readonly default?: unknown;
}

const FIELDS: Readonly<Record<string, FieldSpec>> = CONTRACT.fields;

/** The servers under test run with the default of the contract. */
const MAX_METADATA_BYTES = CONFIG.options.find(({ name }) => name === 'max-metadata-bytes')!
  .default as number;

/**
 * Returns every column of the event's row except its two ids and the columns that the server assigns. Throws when a
 * field has a wrong type or value. Only tests pass another number of bytes.
 */
export function expectedConstants(
  text: string,
  isPriced = true,
  maxMetadataBytes = MAX_METADATA_BYTES,
): Readonly<Record<string, Value>> {
  const event = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const sent = memberText(text, 'metadata') ?? 'null';
  const metadata = sent === 'null' ? '{}' : sent;
  const isTruncated = Buffer.byteLength(metadata) > maxMetadataBytes;
  const columns: Record<string, Value> = {
    schema_version: 1,
    payload_truncated: isTruncated ? 1 : 0,
    metadata_bytes: isTruncated ? Buffer.byteLength(metadata) : null,
    computed_cost_usd: isPriced ? expectedCost(event) : null,
  };
  for (const column of CONSTANT_COLUMNS) {
    const spec = FIELDS[column];
    if (spec === undefined) continue;
    const value = columnOf(event[column] ?? null, spec);
    if (value === undefined) throw new TypeError(`${column} has no value by the contract`);
    const isFailed = column === 'status' && String(event.event_type).trim() === 'error';
    columns[column] = value ?? (isFailed ? 'error' : ((spec.default as Value | undefined) ?? null));
  }
  columns.metadata = isTruncated ? summary(metadata, maxMetadataBytes) : metadata;
  return columns;
}

/** Returns the value that a sent value becomes; `undefined` for a wrong type or value. */
function columnOf(sent: unknown, { kind, trimmed }: FieldSpec): Value | undefined {
  if (sent === null || kind === 'json') return null;
  if (kind === 'integer' || kind === 'dollars') {
    if (typeof sent !== 'number') return undefined;
    return kind === 'integer' ? sent : nanoDollars(sent);
  }
  if (typeof sent !== 'string') return undefined;
  if (kind === 'timestamp') return inUtc(sent);
  return trimmed ? sent.trim() || null : sent;
}

/** Returns a cost in whole nano-dollars, rounded half to even. */
function nanoDollars(cost: number): number {
  const below = Math.floor(cost * 1e9);
  const rest = cost * 1e9 - below;
  const isUp = rest === 0.5 ? below % 2 !== 0 : rest > 0.5;
  return (isUp ? below + 1 : below) / 1e9;
}

/** Returns the timestamp in UTC, truncated to milliseconds (rule EVT-08). */
function inUtc(text: string): string | undefined {
  const date = new Date(text.toUpperCase());
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * Returns the summary of metadata that is too large: the markers, then each summary key that still fits (rule MET-02).
 */
function summary(metadata: string, maxBytes: number): string {
  let text = `{"_truncated":true,"_original_bytes":${Buffer.byteLength(metadata)}`;
  if (!metadata.startsWith('{')) return `${text}}`;
  const values = new Map(memberSpans(metadata).map((span) => [span.key, span.text]));
  for (const key of VOCABULARY.summary_keys) {
    if (!values.has(key)) continue;
    const longer = `${text},${JSON.stringify(key)}:${values.get(key)}`;
    if (Buffer.byteLength(longer) + '}'.length <= maxBytes) text = longer;
  }
  return `${text}}`;
}
