/** Reads an `EventPage` in Protobuf (FMT-08) with `BinaryReader` of @bufbuild/protobuf. */
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import type { EventPage, EventRow } from './contract.ts';
import { emptyRow, SERVER_FIELDS, WIRE_FIELDS, type WireField } from './wire-fields.ts';

type RowField = WireField<keyof EventRow>;

const BY_NUMBER: ReadonlyMap<number, RowField> = new Map(
  [...WIRE_FIELDS, ...SERVER_FIELDS].map((field) => [field[2], field]),
);

/** Reads a page. Throws for bytes that are not a message. Skips fields that a newer server adds. */
export function readPage(bytes: Uint8Array): EventPage {
  const events: EventRow[] = [];
  let next: number | null = null;
  let scanned_to = 0;
  readFields(bytes, (reader, number, type) => {
    if (number === 1) events.push(readRow(reader.bytes()));
    else if (number === 2) next = Number(reader.uint64());
    else if (number === 3) scanned_to = Number(reader.uint64());
    else reader.skip(type, number);
  });
  return { events, next, scanned_to };
}

function readRow(bytes: Uint8Array): EventRow {
  const row = emptyRow();
  readFields(bytes, (reader, number, type) => {
    const field = BY_NUMBER.get(number);
    if (field === undefined) reader.skip(type, number);
    else row[field[0]] = readValue(reader, field);
  });
  return row as unknown as EventRow;
}

function readFields(
  bytes: Uint8Array,
  read: (reader: BinaryReader, number: number, type: WireType) => void,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    read(reader, number, type);
  }
}

function readValue(reader: BinaryReader, [, kind, , words = []]: RowField): unknown {
  switch (kind) {
    case 'text':
      return reader.string();
    case 'choice': {
      const number = reader.uint32();
      // A newer server may send a number whose word is unknown here.
      return words[number - 1] ?? String(number);
    }
    case 'integer':
      return Number(reader.uint64());
    case 'dollars':
      return reader.double();
    case 'timestamp':
      return new Date(Number(reader.int64())).toISOString();
    case 'json':
      return JSON.parse(reader.string());
    case 'boolean':
      return reader.bool();
  }
}
