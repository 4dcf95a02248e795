/** Reads and writes messages of `contract/ingest/v1/event.proto` with @bufbuild/protobuf. */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Column, NUMBERED, protobufName } from './columns.ts';
import type { TextEvent } from './json.ts';

const BY_NUMBER = new Map(NUMBERED.map((column) => [column.number, column]));
const WIRE_TYPES: Readonly<Record<string, WireType>> = {
  text: WireType.LengthDelimited,
  json: WireType.LengthDelimited,
  dollars: WireType.Bit64,
};

export function encodeEvent(event: TextEvent): Buffer {
  const writer = new BinaryWriter();
  for (const column of NUMBERED) {
    const value = event[column.name];
    if (!column.isSent || value === undefined || value === null) continue;
    writer.tag(column.number, WIRE_TYPES[column.kind] ?? WireType.Varint);
    writeValue(writer, column, value);
  }
  return Buffer.from(writer.finish());
}

export function protobufBatch(events: readonly TextEvent[]): Buffer {
  const writer = new BinaryWriter();
  for (const event of events) writer.tag(1, WireType.LengthDelimited).bytes(encodeEvent(event));
  return Buffer.from(writer.finish());
}

function writeValue(writer: BinaryWriter, { kind, words }: Column, value: unknown): void {
  switch (kind) {
    case 'text':
      writer.string(String(value));
      break;
    case 'json':
      writer.bytes(Buffer.from(String(value)));
      break;
    case 'dollars':
      writer.double(Number(value));
      break;
    case 'choice':
      writer.uint32(words.indexOf(String(value)) + 1);
      break;
    case 'timestamp':
      writer.int64(BigInt(Date.parse(String(value))));
      break;
    default:
      writer.uint64(BigInt(Number(value)));
  }
}

/** Decodes an `EventPage`: its members in the order of the bytes, without absent ones. */
export function decodeEventPage(body: Uint8Array): Record<string, unknown> {
  const page: { events: unknown[]; next?: number; scanned_to?: number } = { events: [] };
  readFields(body, (reader, number) => {
    if (number === 1) page.events.push(decodeEvent(reader.bytes()));
    else if (number === 2) page.next = Number(reader.uint64());
    else if (number === 3) page.scanned_to = Number(reader.uint64());
    else throw new Error(`an EventPage has no field ${number}`);
  });
  return page;
}

/** Decodes a `Snapshot`: its members in the order of the bytes, without absent ones. */
export function decodeSnapshot(body: Uint8Array): Record<string, unknown> {
  const read: Readonly<Record<number, (reader: BinaryReader) => [string, unknown]>> = {
    1: (reader) => ['topic', reader.string()],
    2: (reader) => ['epoch', reader.string()],
    3: (reader) => ['revision', Number(reader.uint64())],
    4: (reader) => ['since', Number(reader.uint64())],
    5: (reader) => ['reset', reader.bool()],
    6: (reader) => ['data', decodeEventPage(reader.bytes())],
  };
  return messageOf(body, 'Snapshot', (number) => read[number]);
}

/** Decodes an `Event`: a choice as its word, metadata as text, times in milliseconds. */
export function decodeEvent(body: Uint8Array): Record<string, unknown> {
  return messageOf(body, 'Event', (number) => {
    const column = BY_NUMBER.get(number);
    return column && ((reader) => [protobufName(column), readValue(reader, column)]);
  });
}

/** Returns the spans of a field's values in a message; `path` has the field numbers that lead to it. */
export function valueSpans(
  body: Uint8Array,
  [number, ...inner]: readonly number[],
  at = 0,
): [start: number, end: number][] {
  const spans: [start: number, end: number][] = [];
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) {
    const [found, wireType] = reader.tag();
    const start = reader.pos;
    if (found !== number || inner.length === 0) {
      reader.skip(wireType, found);
      if (found === number) spans.push([at + start, at + reader.pos]);
      continue;
    }
    const message = reader.bytes();
    spans.push(...valueSpans(message, inner, at + reader.pos - message.length));
  }
  return spans;
}

function messageOf(
  body: Uint8Array,
  name: string,
  readerOf: (number: number) => ((reader: BinaryReader) => [string, unknown]) | undefined,
): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  readFields(body, (reader, number) => {
    const [member, value] = readerOf(number)?.(reader) ?? [];
    if (member === undefined) throw new Error(`an ${name} has no field ${number}`);
    if (Object.hasOwn(message, member)) throw new Error(`an ${name} has ${member} twice`);
    message[member] = value;
  });
  return message;
}

function readFields(body: Uint8Array, read: (reader: BinaryReader, number: number) => void): void {
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) read(reader, reader.tag()[0]);
}

function readValue(reader: BinaryReader, { kind, words }: Column): unknown {
  switch (kind) {
    case 'text':
      return reader.string();
    case 'json':
      return Buffer.from(reader.bytes()).toString();
    case 'dollars':
      return reader.double();
    case 'choice': {
      const number = reader.uint32();
      return words[number - 1] ?? number;
    }
    case 'boolean':
      return reader.bool();
    case 'timestamp':
      return Number(reader.int64());
    default:
      return Number(reader.uint64());
  }
}
