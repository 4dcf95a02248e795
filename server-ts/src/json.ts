/**
 * Finds where the known fields of events are in a JSON body.
 *
 * The scan checks JSON syntax and finds the known fields. It never copies and never decodes; it resolves the escapes
 * of keys only to compare them. Of equal keys the last counts. The caller has checked that the bytes are UTF-8.
 * Negative positions mean "not JSON". Over 250 lines because keys are compared here, escapes included, so that no
 * caller decodes one.
 */
import { LIMITS } from './contract.ts';
import type { RawEvents } from './event.ts';
import { FIELDS } from './field.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  hasEscape,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './scanner.ts';

/** Bytes and items that a resumable scan reads before other requests run; an item can have two bytes. */
const SLICE_BYTES = 1 << 17;
const SLICE_ITEMS = 1 << 13;

interface Key {
  readonly bytes: Buffer;
  readonly index: number;
}

/** At least the length of every name. */
const LONGEST_NAME = 64;
/** The last key that had escapes, resolved; a longer key is no name. */
const RESOLVED = Buffer.alloc(LONGEST_NAME);
/** The known fields by the length of their names. */
const FIELDS_BY_LENGTH = byLength(FIELDS);

/** ASCII names, among which it finds a key in one look-up: a body may have a million keys. */
export class Keys {
  readonly names: readonly Buffer[];
  private readonly lists: (Key[] | undefined)[];

  constructor(names: readonly string[]) {
    this.names = names.map((name) => Buffer.from(name));
    this.lists = byLength(names);
  }

  /** Returns the index of the name that the key from `start` up to `end` equals with its escapes resolved, or -1. */
  find(bytes: Buffer, start: number, end: number): number {
    return indexOf(this.lists, bytes, start, end);
  }
}

/**
 * Scans one event into `events` and records its end; the item may be another value than an object. Returns whether
 * the body is JSON.
 */
export function scanEvent(body: Buffer, events: RawEvents): boolean {
  const start = skipSpace(body, 0);
  const end = scanItem(body, start, LIMITS.json_depth, events);
  events.spans[1] = end;
  return end !== INVALID && skipSpace(body, end) === body.length;
}

/** Scans an event from `start` to the end of the bytes; a line that is not JSON becomes an event marked so. */
export function scanLine(bytes: Buffer, start: number, events: RawEvents): void {
  const end = scanItem(bytes, start, LIMITS.json_depth, events);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) events.setNotJson();
}

export interface Batch {
  /** Whether the body is an object whose last `events` is an array. */
  readonly isBatch: boolean;
  /** Number of items; the table holds them up to the given maximum. */
  readonly count: number;
}

/**
 * Scans `{"events":[…]}` into `events`, in slices. It yields between two items after every 128 KiB or 8192 items, and
 * returns `undefined` when the body is not JSON.
 */
export function* scanBatch(
  body: Buffer,
  events: RawEvents,
  maxItems: number,
): Generator<void, Batch | undefined> {
  let isBatch = false;
  let count = 0;
  let at = skipSpace(body, 0);
  if (body[at] !== OPEN_OBJECT) {
    const end = skipValue(body, at, LIMITS.json_depth);
    return end !== INVALID && skipSpace(body, end) === body.length ? { isBatch, count } : undefined;
  }
  at = skipSpace(body, at + 1);
  let first = true;
  while (!(first && body[at] === CLOSE_OBJECT)) {
    first = false;
    if (body[at] !== QUOTE) return undefined;
    const keyStart = at + 1;
    const keyEnd = skipString(body, keyStart);
    if (keyEnd === INVALID) return undefined;
    at = skipSpace(body, keyEnd);
    if (body[at] !== COLON) return undefined;
    at = skipSpace(body, at + 1);
    if (!keyIs(body, keyStart, keyEnd - 1, EVENTS_KEY)) {
      at = skipValue(body, at, LIMITS.json_depth - 1);
    } else {
      events.clear();
      count = 0;
      isBatch = body[at] === OPEN_ARRAY;
      if (isBatch) {
        let pause = at + SLICE_BYTES;
        at = skipSpace(body, at + 1);
        if (body[at] === CLOSE_ARRAY) {
          at++;
        } else {
          for (;;) {
            at =
              count < maxItems
                ? scanItem(body, at, LIMITS.json_depth - 2, events)
                : skipValue(body, at, LIMITS.json_depth - 2);
            if (at === INVALID) return undefined;
            count++;
            at = skipSpace(body, at);
            if (body[at] === CLOSE_ARRAY) break;
            if (body[at] !== COMMA) return undefined;
            at = skipSpace(body, at + 1);
            if (at > pause || count % SLICE_ITEMS === 0) {
              yield;
              pause = at + SLICE_BYTES;
            }
          }
          at++;
        }
      } else {
        at = skipValue(body, at, LIMITS.json_depth - 1);
      }
    }
    if (at === INVALID) return undefined;
    at = skipSpace(body, at);
    if (body[at] === CLOSE_OBJECT) break;
    if (body[at] !== COMMA) return undefined;
    at = skipSpace(body, at + 1);
  }
  return skipSpace(body, at + 1) === body.length ? { isBatch, count } : undefined;
}

/**
 * Calls `visit` with the ranges of every member of the scanned object at `start`: the key without its quotes, and the
 * value. Returns the object's end.
 */
export function visitMembers(
  bytes: Buffer,
  start: number,
  visit: (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void,
): number {
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const keyStart = at + 1;
    const keyEnd = skipString(bytes, keyStart);
    const valueStart = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    const valueEnd = skipValue(bytes, valueStart, LIMITS.json_depth);
    visit(keyStart, keyEnd - 1, valueStart, valueEnd);
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

/**
 * Returns whether the key from `start` up to `end` equals this ASCII name, with its escapes resolved. It decodes
 * nothing: a body may have a million keys.
 */
export function keyIs(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  let at = start;
  for (let index = 0; index < name.length; index++) {
    if (at >= end || codeAt(bytes, at) !== name[index]) return false;
    at += widthAt(bytes, at);
  }
  return at === end;
}

const LETTER_U = 0x75;
/** The character of an escape, by the byte after the backslash. */
const MEANINGS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const control = 'bfnrt'.indexOf(String.fromCharCode(byte));
  return control < 0 ? byte : '\b\f\n\r\t'.charCodeAt(control);
});

/** Returns the byte of a key at `at`, or the code unit of the escape there. */
function codeAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]!;
  if (byte !== BACKSLASH) return byte;
  if (bytes[at + 1] !== LETTER_U) return MEANINGS[bytes[at + 1]!]!;
  let code = 0;
  for (let place = at + 2; place < at + 6; place++) {
    const digit = bytes[place]!;
    code = code * 16 + (digit & 0x0f) + (digit > 0x39 ? 9 : 0);
  }
  return code;
}

/** Returns the number of bytes of the character or the escape at `at`. */
function widthAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH) return 1;
  return bytes[at + 1] === LETTER_U ? 6 : 2;
}

const EVENTS_KEY = Buffer.from('events');

/** Scans one item of a batch, or a single event. */
function scanItem(bytes: Buffer, start: number, depth: number, events: RawEvents): number {
  const item = events.add();
  const spans = events.spans;
  spans[item] = start;
  if (bytes[start] !== OPEN_OBJECT) return skipValue(bytes, start, depth);
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return INVALID;
    const keyStart = at + 1;
    const keyEnd = skipString(bytes, keyStart);
    if (keyEnd === INVALID) return INVALID;
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== COLON) return INVALID;
    const valueStart = skipSpace(bytes, at + 1);
    at = skipValue(bytes, valueStart, depth - 1);
    if (at === INVALID) return INVALID;
    const field = indexOf(FIELDS_BY_LENGTH, bytes, keyStart, keyEnd - 1);
    if (field >= 0) {
      const slot = item + 2 * field + 2;
      spans[slot] = valueStart;
      spans[slot + 1] = at;
    }
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === CLOSE_OBJECT) return at + 1;
    if (next !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the index of the field whose name lies from `start` up to `end`, or -1. */
export function fieldNamed(bytes: Buffer, start: number, end: number): number {
  return exactIndex(FIELDS_BY_LENGTH, bytes, start, end);
}

/** Returns the index of the name that the key equals with its escapes resolved, or -1. */
function indexOf(lists: readonly (Key[] | undefined)[], bytes: Buffer, start: number, end: number): number {
  const exact = exactIndex(lists, bytes, start, end);
  if (exact >= 0 || !hasEscape(bytes, start, end)) return exact;
  let length = 0;
  for (let at = start; at < end; at += widthAt(bytes, at)) {
    const code = codeAt(bytes, at);
    if (length === LONGEST_NAME || code >= 0x80) return -1;
    RESOLVED[length++] = code;
  }
  return exactIndex(lists, RESOLVED, 0, length);
}

/** Returns the index of the name that equals the bytes from `start` up to `end`, or -1. */
function exactIndex(
  lists: readonly (Key[] | undefined)[],
  bytes: Buffer,
  start: number,
  end: number,
): number {
  const length = end - start;
  const candidates = lists[length];
  if (candidates === undefined) return -1;
  for (let i = 0; i < candidates.length; i++) {
    const name = candidates[i]!.bytes;
    let at = 0;
    while (at < length && bytes[start + at] === name[at]) at++;
    if (at === length) return candidates[i]!.index;
  }
  return -1;
}

/** Returns the names by their length. */
function byLength(names: readonly string[]): (Key[] | undefined)[] {
  const lists: (Key[] | undefined)[] = [];
  names.forEach((name, index) => {
    if (name.length > LONGEST_NAME) throw new Error(`${name} is too long for a name`);
    const list = lists[name.length] ?? [];
    list.push({ bytes: Buffer.from(name), index });
    lists[name.length] = list;
  });
  return lists;
}
