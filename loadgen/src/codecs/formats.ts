/**
 * Bodies and answers in each format, by the libraries that a client would use.
 *
 * Invariant: media types come from `contract/formats.json`. Metadata is a value to the caller of the readers, and its
 * text to the caller of the writers.
 */
import { tableFromIPC } from 'apache-arrow';
import { Packr } from 'msgpackr';
import FORMAT_DATA from '../../../contract/formats.json' with { type: 'json' };
import { decodePage, encodeBatch, encodeEvent } from './protobuf.ts';
import { jsonText, type SourceEvent } from './source-events.ts';

/** In which a server reads events. */
export const INPUT_FORMATS = ['json', 'ndjson', 'msgpack', 'protobuf'] as const;
/** In which it answers. */
export const FORMATS = [...INPUT_FORMATS, 'arrow'] as const;

export type InputFormat = (typeof INPUT_FORMATS)[number];
export type Format = (typeof FORMATS)[number];

/** A stored event; `metadata` is the value that its text stands for. */
export type Row = Readonly<Record<string, unknown>>;

export function mediaType(format: Format): string {
  return FORMAT_DATA.formats[format].media_types[0]!;
}

/** Maps with the names of the fields, everything in its shortest form. */
export const PACKR = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

const mapOf = ({ fields, metadata }: SourceEvent) => (metadata === null ? fields : { ...fields, metadata });

/** The body of `POST /api/events/batch`. */
export function batchBody(format: InputFormat, events: readonly SourceEvent[]): Buffer {
  switch (format) {
    case 'json':
      return Buffer.from(`{"events":[${events.map(jsonText).join()}]}`);
    case 'ndjson':
      return Buffer.from(events.map((event) => `${jsonText(event)}\n`).join(''));
    case 'msgpack':
      return Buffer.from(PACKR.pack({ events: events.map(mapOf) }));
    case 'protobuf':
      return Buffer.from(encodeBatch(events));
  }
}

/** The body of `POST /api/events`. */
export function singleBody(format: InputFormat, event: SourceEvent): Buffer {
  switch (format) {
    case 'json':
    case 'ndjson':
      return Buffer.from(jsonText(event));
    case 'msgpack':
      return Buffer.from(PACKR.pack(mapOf(event)));
    case 'protobuf':
      return Buffer.from(encodeEvent(event));
  }
}

/** One piece of what `--stdin` reads: lines, or a frame with its length. */
export function pipeChunk(format: Exclude<InputFormat, 'json'>, events: readonly SourceEvent[]): Buffer {
  const body = batchBody(format, events);
  if (format === 'ndjson') return body;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** The rows of an answer of `GET /api/events`, every field read. */
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

const TIMES = ['client_timestamp', 'created_at'];

function readArrow(bytes: Buffer): Row[] {
  const table = tableFromIPC(bytes);
  const rows: Record<string, unknown>[] = Array.from({ length: table.numRows }, () => ({}));
  for (const { name } of table.schema.fields) {
    const column = table.getChild(name)!;
    const isTime = TIMES.includes(name);
    for (let i = 0; i < rows.length; i++) {
      const value: unknown = column.get(i);
      const number = typeof value === 'bigint' ? Number(value) : value;
      rows[i]![name] = isTime && number !== null ? new Date(Number(number)).toISOString() : number;
    }
  }
  return rows.map(withMetadata);
}

/** A row as text that is equal in every format: members in order, null and what Protobuf does not send alike. */
export function comparable(row: Row): string {
  const members = Object.entries(row)
    .filter(([, value]) => value !== null && value !== 0 && value !== false && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members);
}
