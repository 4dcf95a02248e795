/**
 * Reads responses of `GET /api/events` as rows of a client, by the library that a client would use for each format.
 *
 * Metadata is a value: it is parsed if a format carries it as JSON text.
 */
import type { Format } from '@twin-ingest/testkit/codecs/format.ts';
import { RecordBatchReader } from 'apache-arrow';
import { Packr } from 'msgpackr';
import { decodePage } from './protobuf.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Writes maps with field names, and every value in its shortest form. */
export const PACKR = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

/** Returns the rows of a response of `GET /api/events`, with every field read. */
export function readAnswer(format: Format, bytes: Buffer): Row[] {
  switch (format) {
    case 'json':
      return (JSON.parse(bytes.toString()) as { events: Row[] }).events;
    case 'ndjson':
      return bytes
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row);
    case 'msgpack':
      return (PACKR.unpack(bytes) as { events: Row[] }).events.map(withMetadata);
    case 'protobuf':
      return decodePage(bytes).map(withMetadata);
    case 'arrow':
      return readArrow(bytes);
  }
}

function withMetadata(row: Row): Row {
  return { ...row, metadata: JSON.parse(String(row.metadata ?? '{}')) };
}

const TIMES = ['client_timestamp', 'arrived_at', 'created_at', 'time'];

function readArrow(bytes: Buffer): Row[] {
  const rows: Record<string, unknown>[] = [];
  for (const batch of RecordBatchReader.from(bytes)) {
    const first = rows.length;
    for (let i = 0; i < batch.numRows; i++) rows.push({});
    for (const { name } of batch.schema.fields) {
      const column = batch.getChild(name)!;
      const isTime = TIMES.includes(name);
      for (let i = 0; i < batch.numRows; i++) {
        const value: unknown = column.get(i);
        const number = typeof value === 'bigint' ? Number(value) : value;
        rows[first + i]![name] = isTime && number !== null ? new Date(Number(number)).toISOString() : number;
      }
    }
  }
  return rows.map(withMetadata);
}

/**
 * Returns a row as text that is equal in every format. Members are sorted; null and the zero values that Protobuf
 * leaves out are removed.
 */
export function comparable(row: Row): string {
  const members = Object.entries(row)
    .filter(([, value]) => value !== null && value !== 0 && value !== false && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members);
}
