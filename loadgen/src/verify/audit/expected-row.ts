/**
 * Computes the row that one event must result in, by the rules EVT and MET of the contract.
 *
 * The code follows the rules and not a server's source, so that it can check both servers. It does not validate: an
 * event that a server must reject also gets an expected row. A corpus with such an event therefore fails the audit.
 */
import { memberSpans, memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import CONFIG from '../../../../contract/config.json' with { type: 'json' };
import CONTRACT from '../../../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../../../contract/vocabulary.json' with { type: 'json' };
import { CONSTANT_COLUMNS, type Constants, type Value } from './row.ts';

interface FieldSpec {
  readonly kind: string;
  readonly trimmed?: boolean;
  readonly default?: unknown;
}

const FIELDS: Readonly<Record<string, FieldSpec>> = CONTRACT.fields;

/** Default of `--max-metadata-bytes` in the contract, which the servers under test run with. */
const MAX_METADATA_BYTES = defaultOf('max-metadata-bytes');

function defaultOf(name: string): number {
  const value = CONFIG.options.find((option) => option.name === name)?.default;
  if (typeof value !== 'number') throw new TypeError(`contract/config.json gives ${name} no number`);
  return value;
}

function noValue(field: string): TypeError {
  return new TypeError(`${field} has no value by the contract`);
}

/**
 * Returns every column of the event's row except its two ids and the columns that the server assigns. Throws when a
 * field has a wrong type or value. Only tests pass another number of bytes.
 */
export function expectedConstants(text: string, maxMetadataBytes = MAX_METADATA_BYTES): Constants {
  const event = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const string = (field: string): string | null => {
    const value = event[field] ?? null;
    if (value !== null && typeof value !== 'string') throw noValue(field);
    return value;
  };
  const trimmed = (field: string): string | null => string(field)?.trim() || null;
  const number = (field: string): number | null => {
    const value = event[field] ?? null;
    if (value !== null && typeof value !== 'number') throw noValue(field);
    return value;
  };
  const sent = memberText(text, 'metadata') ?? 'null';
  const metadata = sent === 'null' ? '{}' : sent;
  const truncated = Buffer.byteLength(metadata) > maxMetadataBytes;
  const columnOf = (field: string, { kind, trimmed: isTrimmed = false }: FieldSpec): Value => {
    switch (kind) {
      case 'text':
        return trimmed(field);
      case 'choice':
        return isTrimmed ? trimmed(field) : string(field);
      case 'integer':
        return number(field);
      case 'dollars': {
        const cost = number(field);
        return cost === null ? null : roundHalfToEven(cost * 1e9) / 1e9;
      }
      case 'timestamp': {
        const timestamp = string(field);
        return timestamp === null ? null : normalised(timestamp);
      }
      default:
        return truncated ? summary(metadata, maxMetadataBytes) : metadata;
    }
  };
  // The servers under test run without prices, so they compute no cost.
  const own: Constants = {
    schema_version: 1,
    payload_truncated: truncated ? 1 : 0,
    computed_cost_usd: null,
  };
  return Object.fromEntries(
    CONSTANT_COLUMNS.map((column): [string, Value] => {
      const spec = FIELDS[column];
      if (spec === undefined) return [column, own[column]!];
      const value = columnOf(column, spec);
      if (column === 'status')
        return [column, value ?? (trimmed('event_type') === 'error' ? 'error' : 'success')];
      return [column, value ?? (spec.default as Value | undefined) ?? null];
    }),
  );
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest > 0.5 ? below + 1 : below;
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** Returns the timestamp in UTC, truncated to milliseconds (rule EVT-08). */
function normalised(text: string): string {
  const parts = RFC_3339.exec(text);
  if (parts === null) throw noValue('client_timestamp');
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as number[];
  const millisecond = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = (parts[8] === '-' ? -1 : 1) * (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0));
  const date = new Date(0);
  // `Date.UTC` would map the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year!, month! - 1, day!);
  date.setUTCHours(hour!, minute! - offset, second!, millisecond);
  return date.toISOString();
}

/**
 * Returns the summary of metadata that is too large: the markers, then each summary key that still fits (rule MET-02).
 */
function summary(metadata: string, maxBytes: number): string {
  let text = `{"_truncated":true,"_original_bytes":${Buffer.byteLength(metadata)}`;
  if (!metadata.startsWith('{')) return `${text}}`;
  const values = new Map(memberSpans(metadata).map((span) => [span.key, span.text]));
  for (const key of VOCABULARY.summary_keys) {
    const value = values.get(key);
    if (value === undefined) continue;
    const longer = `${text},${JSON.stringify(key)}:${value}`;
    if (Buffer.byteLength(longer) + '}'.length <= maxBytes) text = longer;
  }
  return `${text}}`;
}
