/**
 * Renders events as an Arrow IPC stream: a record batch per page (rule FMT-09).
 *
 * Pure. Several threads may read the pages of an answer. So each page is written as a complete stream. Then all pages
 * but the first drop their schema, and all but the last drop their end marker. Invariant: a batch has dictionaries of
 * its own, with values in the order of the rows. A page has at most `export_page_rows` rows, so that every key fits
 * into an int16.
 */
import type {
  Bool,
  Data,
  DataType,
  Dictionary,
  Float64,
  Int8,
  Int16,
  Int64,
  TimestampMillisecond,
  Utf8,
} from 'apache-arrow';
import { CONTRACT_VERSION } from '../contract.ts';
import { COLUMNS, type Column } from '../field.ts';
import type { SnapshotHead } from './snapshot.ts';
import { dollarsOf, type StoredRow, type StoredValue, type TextsById, textOf } from './stored.ts';

const arrow = await import('apache-arrow');

/** The ends of the stream that a page includes. */
interface ArrowPagePlace {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Size of the end marker: a continuation, and a length of 0. */
const END_BYTES = 8;
/** Size of a message prefix: a continuation, and the length of the message. */
const PREFIX_BYTES = 8;
const UINT32 = 0x1_0000_0000;
const UTC = 'UTC';

const TYPES: readonly DataType[] = COLUMNS.map(typeOf);
const FIELDS = COLUMNS.map(({ name, isNullable }, at) => new arrow.Field(name, TYPES[at]!, isNullable));
const BATCH = new arrow.Struct(FIELDS);

/**
 * Returns the bytes of a page, with the ends of the stream that it includes. A page without rows has no record batch.
 */
export function arrowPage(
  rows: readonly StoredRow[],
  texts: TextsById,
  place: ArrowPagePlace,
  head?: SnapshotHead,
): Uint8Array {
  const schema = new arrow.Schema(FIELDS, metadataOf(head));
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  if (rows.length > 0) {
    const children = COLUMNS.map((column, at) => columnData(column, TYPES[at]!, rows, texts));
    writer.write(
      new arrow.RecordBatch(
        schema,
        arrow.makeData({ type: BATCH, length: rows.length, nullCount: 0, children }),
      ),
    );
  }
  writer.finish();
  const bytes = writer.toUint8Array(true);
  const start = place.isFirst ? 0 : schemaBytes(bytes);
  return bytes.subarray(start, place.isLast ? bytes.length : bytes.length - END_BYTES);
}

/** Returns the size of the first message, the schema; it has no body. */
function schemaBytes(bytes: Uint8Array): number {
  return PREFIX_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getInt32(PREFIX_BYTES / 2, true);
}

function metadataOf(head: SnapshotHead | undefined): Map<string, string> {
  const metadata = new Map([['contract', CONTRACT_VERSION]]);
  if (head === undefined) return metadata;
  metadata.set('topic', head.topic).set('epoch', head.epoch).set('revision', String(head.revision));
  if (head.since !== undefined) metadata.set('since', String(head.since));
  if (head.isReset === true) metadata.set('reset', 'true');
  return metadata;
}

function typeOf(column: Column, index: number): DataType {
  switch (column.arrow) {
    case 'int8':
      return new arrow.Int8();
    case 'int64':
      return new arrow.Int64();
    case 'float64':
      return new arrow.Float64();
    case 'bool':
      return new arrow.Bool();
    case 'utf8':
      return new arrow.Utf8();
    case 'timestamp':
      return new arrow.TimestampMillisecond(UTC);
    case 'dictionary':
      return new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16(), index);
  }
}

/** Returns the values of one column of a page. */
function columnData(column: Column, type: DataType, rows: readonly StoredRow[], texts: TextsById): Data {
  const length = rows.length;
  const { nullBitmap, nullCount } = nullsOf(column, rows);
  const common = { length, nullCount, nullBitmap };
  switch (column.arrow) {
    case 'int8':
      return arrow.makeData({
        ...common,
        type: type as Int8,
        data: new Int8Array(length).fill(column.constant),
      });
    case 'int64':
      return arrow.makeData({ ...common, type: type as Int64, data: integersOf(column, rows) });
    case 'timestamp':
      return arrow.makeData({
        ...common,
        type: type as TimestampMillisecond,
        data: integersOf(column, rows),
      });
    case 'float64': {
      const data = Float64Array.from(rows, (row) => dollarsOf(row[column.stored]!));
      return arrow.makeData({ ...common, type: type as Float64, data });
    }
    case 'bool': {
      const data = bitmapOf(rows, (row) => row[column.stored] === 1);
      return arrow.makeData({ ...common, type: type as Bool, data });
    }
    case 'utf8': {
      const values = rows.map((row) => textOrEmpty(row[column.stored]!));
      return arrow.makeData({ ...common, type: type as Utf8, ...textsOf(values) });
    }
    case 'dictionary': {
      const { data, values } = keysOf(column, rows, texts);
      const dictionary = arrow.makeVector(
        arrow.makeData({ type: new arrow.Utf8(), length: values.length, nullCount: 0, ...textsOf(values) }),
      );
      return arrow.makeData({ ...common, type: type as Dictionary<Utf8, Int16>, data, dictionary });
    }
  }
}

/** Returns the text of a value; empty for null, which the bitmap marks. */
function textOrEmpty(value: StoredValue): string {
  return value === null ? '' : textOf(value);
}

/** Returns the validity bitmap: a bit for each row that has a value; `undefined` when all rows have one. */
function nullsOf({ isNullable, stored }: Column, rows: readonly StoredRow[]) {
  const nullCount = isNullable ? rows.reduce((sum, row) => sum + (row[stored] === null ? 1 : 0), 0) : 0;
  return { nullCount, nullBitmap: nullCount === 0 ? null : bitmapOf(rows, (row) => row[stored] !== null) };
}

/** Returns a bitmap of these rows, the least significant bit first. */
function bitmapOf(rows: readonly StoredRow[], isSet: (row: StoredRow) => boolean): Uint8Array {
  const bits = new Uint8Array((rows.length + 7) >> 3);
  rows.forEach((row, at) => {
    if (isSet(row)) bits[at >> 3]! |= 1 << (at & 7);
  });
  return bits;
}

/** Writes 64-bit integers as two halves, which is cheaper than a bigint for each. */
function integersOf({ stored }: Column, rows: readonly StoredRow[]): BigInt64Array {
  const halves = new Int32Array(rows.length * 2);
  for (let at = 0; at < rows.length; at++) {
    const value = Number(rows[at]![stored]);
    const high = Math.floor(value / UINT32);
    halves[2 * at] = value - high * UINT32;
    halves[2 * at + 1] = high;
  }
  return new BigInt64Array(halves.buffer);
}

/** Returns the concatenated bytes of texts, and the offsets between them. */
function textsOf(values: readonly string[]): { data: Uint8Array; valueOffsets: Int32Array } {
  const joined = Buffer.from(values.join(''));
  const valueOffsets = new Int32Array(values.length + 1);
  let end = 0;
  values.forEach((value, at) => {
    end += Buffer.byteLength(value);
    valueOffsets[at + 1] = end;
  });
  return { data: joined, valueOffsets };
}

/** Returns the keys of a dictionary, whose values are in the order of the rows. */
function keysOf(
  column: Column,
  rows: readonly StoredRow[],
  texts: TextsById,
): { data: Int16Array; values: string[] } {
  const keys = new Map<StoredValue, number>();
  const values: string[] = [];
  const data = new Int16Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const id = rows[at]![column.stored]!;
    if (id === null) continue;
    let key = keys.get(id);
    if (key === undefined) {
      key = values.length;
      keys.set(id, key);
      values.push(column.kind === 'session' ? texts.session(id as number) : texts.name(id as number));
    }
    data[at] = key;
  }
  return { data, values };
}
