/**
 * Renders pages of events and snapshots in MessagePack (rule FMT-08).
 *
 * Pure. Every value has its shortest form. The library writes all values except integers of 64 bits.
 */
import { COLUMNS, type Column } from '../field.ts';
import type { Reached } from '../render.ts';
import { formatTimestamp } from '../timestamp.ts';
import type { SnapshotHead } from './snapshot.ts';
import { dollarsOf, type StoredRow, type TextsById, textOf } from './stored.ts';

const { Packr } = await import('msgpackr/pack');

/** Writes maps in their shortest form, and nothing that is an extension of msgpackr. */
const library = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

/**
 * Largest integer that the library writes in its shortest form. It writes a larger number as a float, and a bigint as a
 * signed integer.
 */
const MOST_INTEGER = 0xffff_ffff;
const UINT64 = 0xcf;
const MAP = 0x80;
const FIX_ARRAY = 0x90;
const ARRAY16 = 0xdc;

type Value = string | number | boolean | null;

/** Collects rows as maps. */
export class MsgpackRows {
  private readonly texts: TextsById;
  private readonly parts: Uint8Array[] = [];
  private count = 0;
  /** The last time and its cached text: events of one request have the same time. */
  private timeMs = Number.NaN;
  private time = '';

  constructor(texts: TextsById) {
    this.texts = texts;
  }

  /** Adds a row. */
  push(row: StoredRow): void {
    const event: Record<string, Value> = {};
    let isLong = false;
    for (const column of COLUMNS) {
      const value = this.value(column, row);
      if (typeof value === 'number' && value > MOST_INTEGER) isLong = true;
      event[column.name] = value;
    }
    this.count++;
    this.parts.push(isLong ? packLong(event) : pack(event));
  }

  /** Returns a page of these rows (rule GET-01). */
  page({ next, scannedTo }: Reached): Buffer {
    const head = [Buffer.of(MAP | 3), pack('events'), arrayHead(this.count)];
    const tail = [pack('next'), packValue(next), pack('scanned_to'), packValue(scannedTo)];
    return joined([...head, ...this.parts, ...tail]);
  }

  private value(column: Column, row: StoredRow): Value {
    if (column.kind === 'constant') return column.constant;
    const value = row[column.stored]!;
    if (value === null) return null;
    switch (column.kind) {
      case 'session':
        return this.texts.session(value as number);
      case 'name':
      case 'choice':
        return this.texts.name(value as number);
      case 'boolean':
        return value === 1;
      case 'dollars':
        return dollarsOf(value);
      case 'timestamp':
        return this.stamp(value as number);
      case 'integer':
        return value as number;
      case 'text':
      case 'json':
        return textOf(value);
    }
  }

  private stamp(ms: number): string {
    if (ms !== this.timeMs) {
      this.timeMs = ms;
      this.time = formatTimestamp(ms);
    }
    return this.time;
  }
}

/** Returns a snapshot with its data, which is a page in MessagePack (rules SYN-05 and SYN-07). */
export function msgpackSnapshot(snapshot: SnapshotHead, data: Uint8Array): Buffer {
  const { topic, epoch, revision, since, isReset } = snapshot;
  const members: [string, Value][] = [
    ['topic', topic],
    ['epoch', epoch],
    ['revision', String(revision)],
  ];
  if (since !== undefined) members.push(['since', String(since)]);
  if (isReset === true) members.push(['reset', true]);
  const head = members.flatMap(([name, value]) => [pack(name), pack(value)]);
  return joined([Buffer.of(MAP | (members.length + 1)), ...head, pack('data'), data]);
}

/** Returns the bytes of a value; the library does not reuse their memory. */
function pack(value: unknown): Uint8Array {
  return library.pack(value);
}

function packValue(value: Value): Uint8Array {
  if (typeof value !== 'number' || value <= MOST_INTEGER) return pack(value);
  const bytes = Buffer.alloc(9);
  bytes[0] = UINT64;
  bytes.writeBigUInt64BE(BigInt(value), 1);
  return bytes;
}

/** Encodes a map with an integer above 32 bits. */
function packLong(event: Readonly<Record<string, Value>>): Buffer {
  const members = Object.entries(event);
  // The library writes the head: 1 byte below 16 members, else 3.
  const empty = pack(Object.fromEntries(members.map(([name]) => [name, null])));
  const head = empty.subarray(0, members.length < 16 ? 1 : 3);
  return joined([head, ...members.flatMap(([name, value]) => [pack(name), packValue(value)])]);
}

function arrayHead(count: number): Buffer {
  // A page has at most 1,000 rows (`page_max`), so 16 bits are enough.
  return count < 16 ? Buffer.of(FIX_ARRAY | count) : Buffer.of(ARRAY16, count >> 8, count & 0xff);
}

/** Returns the concatenated parts in memory of their own, which can be transferred to the main thread. */
function joined(parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
