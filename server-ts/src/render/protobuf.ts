/**
 * Renders pages of events and snapshots in Protobuf (rule FMT-08): the messages `EventPage` and `Snapshot`.
 *
 * Pure. Fields come in the order of their numbers. The library's writer writes them straight from rows.
 */
import type { BinaryWriter as Writer } from '@bufbuild/protobuf/wire';
import { BY_NUMBER, type Column } from '../field.ts';
import type { Reached } from '../render.ts';
import type { SnapshotHead } from './snapshot.ts';
import { dollarsOf, type StoredRow, type StoredValue, type TextsById, textOf } from './stored.ts';

const { BinaryWriter } = await import('@bufbuild/protobuf/wire');

/** Bound below which an integer has the varint of a 32-bit integer, which the library writes faster. */
const UINT32 = 0x1_0000_0000;

/** Wire types. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** The numbers of the fields of `EventPage` and of `Snapshot`. */
const PAGE = { events: 1, next: 2, scanned_to: 3 } as const;
const SNAPSHOT = { topic: 1, epoch: 2, revision: 3, since: 4, reset: 5, data: 6 } as const;

const EVENTS_TAG = tagOf(PAGE.events, BYTES);

/** Collects rows as the field `events` of an `EventPage`. */
export class ProtobufRows {
  private readonly texts: TextsById;
  private readonly writer = new BinaryWriter();
  /** The encoded fields of names and sessions, with their tags, by column and id, since rows repeat them. */
  private readonly known = BY_NUMBER.map(() => new Map<number, Uint8Array>());

  constructor(texts: TextsById) {
    this.texts = texts;
  }

  /** Adds a row. */
  push(row: StoredRow): void {
    const { writer } = this;
    writer.uint32(EVENTS_TAG).fork();
    for (let place = 0; place < BY_NUMBER.length; place++) {
      const column = BY_NUMBER[place]!;
      if (column.kind === 'constant') writeInteger(writer, column.protobuf, column.constant);
      else this.field(place, column, row[column.stored]!);
    }
    writer.join();
  }

  /** Returns a page of these rows (rule GET-01). */
  page({ next, scannedTo }: Reached): Uint8Array {
    if (next !== null) writeInteger(this.writer, PAGE.next, next);
    if (scannedTo !== 0) writeInteger(this.writer, PAGE.scanned_to, scannedTo);
    return this.writer.finish();
  }

  /** Writes a field. Null is omitted, and so is the zero of a column that is never null (rule FMT-08). */
  private field(place: number, column: Column, value: StoredValue): void {
    const { writer } = this;
    if (value === null) return;
    const { protobuf: number } = column;
    switch (column.kind) {
      case 'session':
      case 'name':
      case 'choice':
        writer.raw(this.known[place]!.get(value as number) ?? this.repeated(place, column, value as number));
        break;
      case 'boolean':
        if (value === 1) writeInteger(writer, number, 1);
        break;
      case 'dollars':
        writer.uint32(tagOf(number, FIXED64)).double(dollarsOf(value));
        break;
      case 'timestamp':
      case 'integer':
        if (value !== 0 || column.isNullable) writeInteger(writer, number, value as number);
        break;
      default:
        writer.uint32(tagOf(number, BYTES)).string(textOf(value));
    }
  }

  /** Encodes the field of a name or a session, and caches it for the next rows. */
  private repeated(place: number, column: Column, id: number): Uint8Array {
    const writer = new BinaryWriter();
    const text = column.kind === 'session' ? this.texts.session(id) : this.texts.name(id);
    if (column.kind === 'choice') writeInteger(writer, column.protobuf, column.words.indexOf(text) + 1);
    else writer.uint32(tagOf(column.protobuf, BYTES)).string(text);
    const bytes = writer.finish();
    this.known[place]!.set(id, bytes);
    return bytes;
  }
}

/** Returns a snapshot with its data, an `EventPage` (rules SYN-05 and SYN-07). */
export function protobufSnapshot(head: SnapshotHead, data: Uint8Array): Uint8Array {
  const { topic, epoch, revision, since, isReset } = head;
  const writer = new BinaryWriter();
  writer.uint32(tagOf(SNAPSHOT.topic, BYTES)).string(topic);
  writer.uint32(tagOf(SNAPSHOT.epoch, BYTES)).string(epoch);
  if (revision !== 0) writeInteger(writer, SNAPSHOT.revision, revision);
  if (since !== undefined) writeInteger(writer, SNAPSHOT.since, since);
  if (isReset === true) writeInteger(writer, SNAPSHOT.reset, 1);
  writer.uint32(tagOf(SNAPSHOT.data, BYTES)).bytes(data);
  return writer.finish();
}

function writeInteger(writer: Writer, number: number, value: number): void {
  writer.uint32(tagOf(number, VARINT));
  if (value >= 0 && value < UINT32) writer.uint32(value);
  else writer.int64(value);
}

function tagOf(number: number, wireType: number): number {
  return (number << 3) | wireType;
}
