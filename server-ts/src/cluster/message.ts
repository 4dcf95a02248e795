/**
 * Writes an event as a message of the stream, and reads it back (rule CLU-03).
 *
 * Pure. The first line has the fields as JSON, and the rest is the metadata exactly as the event has it. A batch or an
 * event would nest it deeper than the limit.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { EventTable, RawEvents } from '../event.ts';
import { FIELD, FIELD_SPECS, type FieldSpec, INT_WIDTH, NUMBER_WIDTH, TRUNCATED, WAIT } from '../field.ts';
import { scanLine } from '../json.ts';
import { printNumber } from '../number.ts';
import { dollarsOf } from '../render/stored.ts';
import { INVALID, skipSpace, skipValue } from '../scanner.ts';
import { readUuid, UUID_BYTES, UUID_LENGTH } from '../store/submission.ts';
import { formatTimestamp } from '../timestamp.ts';
import { validator } from '../validate.ts';
import { NO_CHANGE, waitLabel, waitOf } from '../waits.ts';

const NO_METADATA = '{}';
const LINE_FEED = 0x0a;

/** An event for the stream, or a change of the copies. */
export interface Message {
  /** Its fields and its metadata. */
  readonly payload: Buffer;
  /** The key of its `event_id` in hexadecimal, by which the stream recognises a repetition; `undefined` without one. */
  readonly key: string | undefined;
  /** Its change to the waits of its session. */
  readonly wait: string | undefined;
  /** Whether its metadata is a summary. */
  readonly isTruncated: boolean;
  /** The name of a change; `undefined` for an event. */
  readonly change: string | undefined;
}

/** Writes the event in a row of a table. */
export function writeMessage(table: EventTable, row: number): Message {
  const { ints } = table;
  const int = row * INT_WIDTH;
  const members = FIELD_SPECS.filter(({ kind }) => kind !== 'json').flatMap((field) => {
    const value = tokenOf(table, row, field);
    return value === undefined ? [] : [`"${field.name}":${value}`];
  });
  const head = Buffer.from(`{${members.join(',')}}\n`);
  const metadata = bytesIn(table, int + FIELD.metadata.column) ?? Buffer.from(NO_METADATA);
  const wait = ints[int + WAIT]!;
  return {
    payload: Buffer.concat([head, metadata]),
    key: keyOf(table, int),
    wait: wait === NO_CHANGE ? undefined : waitLabel(wait),
    isTruncated: ints[int + TRUNCATED] === 1,
    change: undefined,
  };
}

/** A message as NATS delivers it. */
export interface Received {
  readonly payload: Uint8Array;
  /** The label of its change to the waits of its session. */
  readonly wait: string | undefined;
  readonly isTruncated: boolean;
}

/** The events of messages. */
export interface ReadEvents {
  /** The events, in order; `undefined` without any. */
  readonly table: EventTable | undefined;
  /** The index of the message of each event. */
  readonly indexes: readonly number[];
}

/** Reads messages into the rows of one table. A message that is not an event has no row. */
export function readMessages(messages: readonly Received[], buffers: Buffers): ReadEvents {
  let length = 0;
  for (const { payload } of messages) length += payload.length;
  const body = buffers.bytes(length);
  const raw = new RawEvents();
  const items: (number | undefined)[] = [];
  let start = 0;
  for (const { payload } of messages) {
    body.set(payload, start);
    items.push(scanMessage(body.subarray(0, start + payload.length), start, raw));
    start += payload.length;
  }
  const table = new EventTable(body, messages.length, buffers);
  const validate = validator(raw, table, Number.MAX_SAFE_INTEGER);
  const indexes: number[] = [];
  for (const [index, { wait, isTruncated }] of messages.entries()) {
    const item = items[index];
    const int = table.count * INT_WIDTH;
    if (item === undefined || validate(item) !== undefined) continue;
    table.ints[int + TRUNCATED] = isTruncated ? 1 : 0;
    table.ints[int + WAIT] = wait === undefined ? NO_CHANGE : waitOf(wait);
    indexes.push(index);
  }
  raw.free();
  if (table.count > 0) return { table, indexes };
  table.release();
  return { table: undefined, indexes };
}

/** Scans the message that ends these bytes; returns its item in `raw`, or `undefined` when it is not an event. */
function scanMessage(bytes: Buffer, start: number, raw: RawEvents): number | undefined {
  const end = bytes.indexOf(LINE_FEED, start);
  if (end < 0 || !isUtf8(bytes.subarray(start))) return undefined;
  const item = raw.count;
  scanLine(bytes.subarray(0, end), start, raw);
  const metadata = skipSpace(bytes, end + 1);
  const last = skipValue(bytes, metadata, LIMITS.json_depth);
  if (last === INVALID || skipSpace(bytes, last) !== bytes.length || !raw.isJson(item)) return undefined;
  raw.put(raw.at(item), 'metadata', metadata, last);
  return item;
}

/**
 * Returns the key by which every copy recognises the event. A hook that telemetry may report too has a second one (rule
 * HOK-04).
 */
function keyOf(table: EventTable, int: number): string | undefined {
  const id = bytesIn(table, int + FIELD.event_id.column);
  if (id === undefined) return undefined;
  const key = Buffer.alloc(UUID_BYTES);
  if (id.length === UUID_LENGTH && readUuid(id, 0, key)) {
    if (table.ints[int + WAIT] !== NO_CHANGE) key[UUID_BYTES - 1]! ^= 1;
    return key.toString('hex');
  }
  return createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, 2 * UUID_BYTES);
}

/** Returns the bytes of a text; `undefined` when it is absent. */
function bytesIn(table: EventTable, column: number): Buffer | undefined {
  const { bytes, start, end } = table.rangeAt(column);
  return start === end ? undefined : bytes.subarray(start, end);
}

/** Returns the value of a field as JSON; `undefined` when it is absent. */
function tokenOf(table: EventTable, row: number, field: FieldSpec): string | undefined {
  const int = row * INT_WIDTH + field.column;
  if (field.kind === 'choice') return JSON.stringify(field.words[table.ints[int]!]!.toString());
  if (field.kind === 'text' || field.kind === 'json') {
    const bytes = bytesIn(table, int);
    return bytes && JSON.stringify(bytes.toString());
  }
  const number = table.numbers[row * NUMBER_WIDTH + field.column]!;
  if (Number.isNaN(number)) return undefined;
  if (field.kind === 'dollars') return printNumber(dollarsOf(number));
  return field.kind === 'timestamp' ? JSON.stringify(formatTimestamp(number)) : String(number);
}
