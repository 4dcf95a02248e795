/**
 * Arrow without a server: stored rows as columns of `contract/fields.json`, and procwire's five columns, in one record
 * batch.
 *
 * Invariant: the sum of one column and the counts by name of another are the same before and after.
 */
import { deepStrictEqual } from 'node:assert/strict';
import {
  Bool,
  type DataType,
  Dictionary,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  Table,
  TimestampMillisecond,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import FIELDS from '../../../contract/fields.json' with { type: 'json' };
import type { Report } from './alone-timing.ts';

type Event = Record<string, unknown>;

/** Any time of arrival in milliseconds. */
const CREATED_AT = 1_770_000_000_000;
const CATEGORIES = 10;

const TYPES: Readonly<Record<string, () => DataType>> = {
  dictionary: () => new Dictionary(new Utf8(), new Int16()),
  utf8: () => new Utf8(),
  int64: () => new Int64(),
  int8: () => new Int8(),
  float64: () => new Float64(),
  bool: () => new Bool(),
  timestamp: () => new TimestampMillisecond('UTC'),
};

const KNOWN = { ...FIELDS.fields, ...FIELDS.server_columns } as Readonly<
  Record<string, { readonly arrow: string; readonly default?: unknown }>
>;

export function measureColumns(report: Report, lines: readonly string[], count: number): void {
  const events = lines.map((line) => JSON.parse(line) as Event);
  const rows = Array.from({ length: count }, (_, i) => stored(events[i % events.length]!, i));
  const build = () =>
    new Table(Object.fromEntries(FIELDS.row.map((name) => [name, columnOf(name, rows)])) as never);
  measure(report, count, build, (table) => ask(table, 'tokens_in', 'tool_name'));
}

/** Returns the event as a server stores it. */
function stored(event: Event, index: number): Event {
  const { client_timestamp, metadata, status } = event;
  return {
    ...event,
    id: index + 1,
    schema_version: 1,
    status: status ?? 'success',
    created_at: CREATED_AT,
    time: CREATED_AT,
    client_timestamp: client_timestamp === undefined ? null : Date.parse(String(client_timestamp)),
    payload_truncated: false,
    metadata: JSON.stringify(metadata ?? {}),
  };
}

function columnOf(name: string, rows: readonly Event[]): Vector {
  const { arrow, default: fallback = null } = KNOWN[name]!;
  const values = rows.map((row) => {
    const value = row[name] ?? fallback;
    return arrow === 'int64' && value !== null ? BigInt(value as number) : value;
  });
  return vectorFromArray(values, TYPES[arrow]!());
}

/** Measures five columns: `int32 id`, `utf8 name`, `f64 value`, `i64 timestamp`, `utf8 category`. */
export function measureProcwireColumns(report: Report, count: number): void {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const build = () =>
    new Table({
      id: vectorFromArray(numbers, new Int32()),
      name: vectorFromArray(
        numbers.map((i) => `item_${i}`),
        new Utf8(),
      ),
      value: vectorFromArray(
        numbers.map((i) => i * 0.5),
        new Float64(),
      ),
      timestamp: vectorFromArray(
        numbers.map((i) => BigInt(CREATED_AT + i)),
        new Int64(),
      ),
      category: vectorFromArray(
        numbers.map((i) => `cat_${i % CATEGORIES}`),
        new Utf8(),
      ),
    } as never);
  measure(report, count, build, (table) => ask(table, 'value', 'category'));
}

/** Returns the bytes of the same rows as lines of JSON. */
export function procwireRowBytes(count: number): number {
  let bytes = 0;
  for (let id = 0; id < count; id++) {
    const row = { id, name: `item_${id}`, value: id * 0.5, timestamp: CREATED_AT + id };
    bytes += JSON.stringify({ ...row, category: `cat_${id % CATEGORIES}` }).length + 1;
  }
  return bytes;
}

/** Returns the sum of one column, and the number of rows by the name in another column. */
function ask(table: Table, summed: string, named: string): { sum: number; counts: Map<string, number> } {
  let sum = 0;
  for (const { values } of table.getChild(summed)!.data) {
    for (const value of values as Float64Array | BigInt64Array) sum += Number(value);
  }
  const counts = new Map<string, number>();
  const add = (name: string, count: number) => void counts.set(name, (counts.get(name) ?? 0) + count);
  const names = table.getChild(named)!;
  for (const part of names.data) {
    if (part.dictionary === undefined) {
      for (const name of names) add(name as string, 1);
      break;
    }
    const byKey = new Uint32Array(part.dictionary.length);
    const keys = part.values as Int16Array;
    for (let i = 0; i < part.length; i++) if (part.getValid(i)) byKey[keys[i]!]!++;
    for (const [key, count] of byKey.entries()) add(String(part.dictionary!.get(key)), count);
  }
  return { sum, counts };
}

function measure(
  report: Report,
  count: number,
  build: () => Table,
  answers: (table: Table) => ReturnType<typeof ask>,
): void {
  const table = build();
  const bytes = tableToIPC(table, 'stream');
  const decoded = tableFromIPC(bytes);
  deepStrictEqual(answers(decoded), answers(table), 'what comes back differs from what went in');
  const fields = count * table.numCols;
  const print = (step: string, samples: readonly number[]) =>
    report.print(step, bytes.length, fields, samples);
  print('build', report.time(build));
  print(
    'encode',
    report.time(() => tableToIPC(table, 'stream')),
  );
  print(
    'decode',
    report.time(() => tableFromIPC(bytes)),
  );
  print(
    'sum and group',
    report.time(() => answers(decoded)),
  );
  print(
    'all',
    report.time(() => answers(tableFromIPC(tableToIPC(table, 'stream')))),
  );
}
