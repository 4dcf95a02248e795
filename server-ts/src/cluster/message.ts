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

/** Returns the event of a message as a table of one row; `undefined` when a message is not an event. */
export function readMessage(
  payload: Uint8Array,
  wait: string | undefined,
  isTruncated: boolean,
  buffers: Buffers,
): EventTable | undefined {
  const end = payload.indexOf(LINE_FEED);
  if (end < 0 || !isUtf8(payload)) return undefined;
  const body = buffers.bytes(payload.length);
  body.set(payload);
  const raw = new RawEvents();
  scanLine(body.subarray(0, end), 0, raw);
  const start = skipSpace(body, end + 1);
  const last = skipValue(body, start, LIMITS.json_depth);
  if (last === INVALID || skipSpace(body, last) !== body.length || !raw.isJson(0)) {
    buffers.give(body.buffer);
    return undefined;
  }
  raw.put(raw.at(0), 'metadata', start, last);
  const table = new EventTable(body, 1, buffers);
  const isEvent = validator(raw, table, Number.MAX_SAFE_INTEGER)(0) === undefined;
  raw.free();
  if (!isEvent) {
    table.release();
    return undefined;
  }
  table.ints[TRUNCATED] = isTruncated ? 1 : 0;
  table.ints[WAIT] = wait === undefined ? NO_CHANGE : waitOf(wait);
  return table;
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
