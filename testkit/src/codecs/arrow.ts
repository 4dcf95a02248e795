/**
 * Reads whole Arrow IPC streams of rows with apache-arrow, and compares them with the schema of the contract.
 *
 * Invariant: a stream with another schema, or with dictionaries that FMT-09 does not describe, is an error.
 */
import {
  type DataType,
  Dictionary,
  RecordBatch,
  RecordBatchReader,
  Timestamp,
  type Vector,
} from 'apache-arrow';
import { COLUMNS } from './columns.ts';

export interface ArrowRows {
  /** The schema's metadata, by name. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The rows of each record batch: metadata as text, times in milliseconds. */
  readonly batches: readonly (readonly Record<string, unknown>[])[];
}

const TYPES: Readonly<Record<string, string>> = {
  dictionary: 'Dictionary<Int16, Utf8>',
  utf8: 'Utf8',
  int64: 'Int64',
  int8: 'Int8',
  float64: 'Float64',
  bool: 'Bool',
  timestamp: 'Timestamp<MILLISECOND, UTC>',
};
const WANTED = COLUMNS.map(
  ({ name, arrow, isNullable }) => `${name}: ${TYPES[arrow]}${isNullable ? '' : ' not null'}`,
);

/** Reads a whole stream; its end marker must be the last bytes. */
export function decodeArrow(body: Buffer): ArrowRows {
  if (!body.subarray(-8).equals(END)) throw new Error('the stream has no end');
  const reader = RecordBatchReader.from(body).open();
  // The reader removes its schema at the end, so it is read now.
  const { schema } = reader;
  const got = schema.fields.map(
    ({ name, type, nullable }) => `${name}: ${typeName(type)}${nullable ? '' : ' not null'}`,
  );
  if (got.join() !== WANTED.join()) throw new Error(`the schema is ${got.join(', ')}`);
  // For a stream without a batch the library returns an empty placeholder batch.
  const sent = [...reader].filter((batch) => batch.constructor === RecordBatch);
  const batches = sent.map((batch) => {
    const columns = COLUMNS.map(({ name }) => {
      const column = batch.getChild(name)!;
      if (column.type instanceof Dictionary) checkDictionary(name, column);
      return [name, column] as const;
    });
    return Array.from({ length: batch.numRows }, (_, row) =>
      Object.fromEntries(columns.map(([name, column]) => [name, plain(column, row)])),
    );
  });
  return { metadata: Object.fromEntries([...schema.metadata].sort()), batches };
}

/** Returns the numbers of a column, without reading other columns. The end marker must be present. */
export function arrowNumbers(body: Buffer, name: string): number[] {
  if (!body.subarray(-8).equals(END)) throw new Error('the stream has no end');
  const batches = [...RecordBatchReader.from(body)];
  return batches.flatMap((batch) => Array.from(batch.getChild(name) ?? [], Number));
}

/** The end marker: a continuation and a length of 0. */
const END = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

function typeName(type: DataType): string {
  if (type instanceof Dictionary) return `Dictionary<${type.indices}, ${type.dictionary}>`;
  return type instanceof Timestamp ? `Timestamp<MILLISECOND, ${type.timezone}>` : String(type);
}

/** Checks that a batch's dictionary has the distinct values of its rows, in their order. */
function checkDictionary(name: string, column: Vector): void {
  const wanted = [...new Set([...column].filter((value) => value !== null))];
  const got = [...column.data.flatMap(({ dictionary }) => (dictionary ? [...dictionary] : []))];
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`the dictionary of ${name} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
}

function plain(column: Vector, row: number): unknown {
  const value: unknown = column.get(row);
  return typeof value === 'bigint' ? Number(value) : value;
}
