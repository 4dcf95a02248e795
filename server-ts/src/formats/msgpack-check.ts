/**
 * Checks a body in MessagePack before a library decodes it (rules FMT-03 and FMT-04).
 *
 * Pure. Invariant: the check takes no memory but the places of the events, whatever the body declares, and what passes
 * is well-formed to its last byte.
 */
import { LIMITS } from '../contract.ts';
import { type Fault, refusal } from './fault.ts';
import { isUtf8Range } from './utf8.ts';

/** Where the events of a batch lie. */
export interface Places {
  /** A start and an end of each of the first ones, as many as were asked for. */
  readonly events: readonly number[];
  /** How many there are. */
  readonly count: number;
}

/** How many bytes are checked before others run. */
const SLICE_BYTES = 1 << 19;
/** The library drops a byte order mark at the beginning of longer texts. */
const MARKED_TEXT = 64;

/** The bits of the exponent in the second byte of a float, and of a double. */
const FLOAT_EXPONENT = 0x80;
const DOUBLE_EXPONENT = 0xf0;

/** The markers of an empty map and of an empty array, which differ in one bit. */
const EMPTY = 0x80;
const EMPTY_MASK = 0xef;

const MOST_DEPTH = LIMITS.json_depth;

const EVENTS = Buffer.from('events');
const MARK = Buffer.from('\ufeff');

/** Checks a body that is one value. `marks` collects as `Walker` says. */
export function checkEvent(body: Buffer, marks: number[] = []): void {
  const walker = new Walker(body, marks);
  walker.skipValue(0);
  walker.end();
}

/**
 * Checks a body that is a batch, in slices; nothing when it has no array `events`. Of a key given twice the last
 * counts. Events after the first `maxItems` are counted and not kept.
 */
export function* checkBatch(
  body: Buffer,
  maxItems: number,
  marks: number[] = [],
): Generator<void, Places | undefined> {
  const walker = new Walker(body, marks);
  let places: Places | undefined;
  if (shapeAt(body, 0) === SHAPE.map) {
    const pairs = walker.container(0);
    for (let pair = 0; pair < pairs; pair++) {
      if (!walker.keyIs(EVENTS)) {
        walker.skipValue(1);
        continue;
      }
      places = undefined;
      if (shapeAt(body, walker.at) === SHAPE.array) places = yield* checkEvents(walker, maxItems);
      else walker.skipValue(1);
    }
  } else {
    walker.skipValue(0);
  }
  walker.end();
  return places;
}

function* checkEvents(walker: Walker, maxItems: number): Generator<void, Places> {
  const count = walker.container(1);
  const events: number[] = [];
  let pause = walker.at + SLICE_BYTES;
  for (let index = 0; index < count; index++) {
    const start = walker.at;
    walker.skipValue(2);
    if (index < maxItems) events.push(start, walker.at);
    if (walker.at > pause) {
      yield;
      pause = walker.at + SLICE_BYTES;
    }
  }
  return { events, count };
}

/** What a value is, by its first byte; `other` has a fixed number of bytes behind it, or is not allowed. */
export const SHAPE = { byte: 0, text: 1, array: 2, map: 3, other: 4 } as const;
const SHAPES = Uint8Array.from({ length: 256 }, (_, first) => shapeOf(first));

function shapeOf(first: number): number {
  if (first < 0x80 || first >= 0xe0 || first === 0xc0 || first === 0xc2 || first === 0xc3) return SHAPE.byte;
  if (first >> 4 === 0x8 || first === 0xde || first === 0xdf) return SHAPE.map;
  if (first >> 4 === 0x9 || first === 0xdc || first === 0xdd) return SHAPE.array;
  return first >> 5 === 0x5 || (first >= 0xd9 && first <= 0xdb) ? SHAPE.text : SHAPE.other;
}

/** What the value is that begins here. */
export function shapeAt(bytes: Buffer, at: number): number {
  return at < bytes.length ? SHAPES[bytes[at]!]! : SHAPE.other;
}

/** Walks through a body, value by value. */
export class Walker {
  at = 0;
  /** Where the last text began. */
  textStart = 0;
  private readonly bytes: Buffer;
  /** The places of texts that begin with a byte order mark: of the marker, and of the text. */
  private readonly marks: number[];

  /** What is left of the containers around the one that is walked through, inverted of maps. */
  private readonly open = new Int32Array(MOST_DEPTH);

  constructor(bytes: Buffer, marks: number[] = []) {
    this.bytes = bytes;
    this.marks = marks;
  }

  end(): void {
    if (this.at !== this.bytes.length) fail('trailing');
  }

  /** Any value, which lies in `depth` containers. It does not recurse: a body may have millions of small values. */
  skipValue(depth: number): void {
    const { bytes, open } = this;
    let level = 0;
    // Values that are still to come in the innermost container; a key is one of its own.
    let left = 1;
    let isPairs = false;
    for (;;) {
      if (left === 0) {
        if (level === 0) return;
        const outer = open[--level]!;
        isPairs = outer < 0;
        left = isPairs ? ~outer : outer;
        continue;
      }
      if (this.at >= bytes.length) fail('truncated');
      const first = bytes[this.at]!;
      const shape = SHAPES[first]!;
      if (isPairs && (left & 1) === 0 && shape !== SHAPE.text) fail('key');
      left--;
      if (shape === SHAPE.byte) {
        this.at++;
      } else if (shape === SHAPE.text) {
        this.text(first);
      } else if (shape === SHAPE.other) {
        this.at++;
        this.scalar(first);
      } else if ((first & EMPTY_MASK) === EMPTY && depth + level < MOST_DEPTH) {
        this.at++;
      } else {
        const count = this.container(depth + level);
        open[level++] = isPairs ? ~left : left;
        isPairs = shape === SHAPE.map;
        left = isPairs ? 2 * count : count;
      }
    }
  }

  /** The beginning of an array or a map; how many elements or pairs it has. */
  container(depth: number): number {
    const { bytes } = this;
    const first = bytes[this.at++]!;
    // Its marker says how deep it lies, so that is checked before its count.
    if (depth >= MOST_DEPTH) fail('depth');
    const count = first < 0xa0 ? first & 0x0f : this.length(first === 0xdc || first === 0xde ? 2 : 4);
    const least = SHAPES[first] === SHAPE.map ? 2 * count : count;
    if (least > bytes.length - this.at) fail('truncated');
    return count;
  }

  /** Skips a key; whether it is this one. */
  keyIs(name: Buffer): boolean {
    this.key();
    return name.equals(this.bytes.subarray(this.textStart, this.at));
  }

  /** A key. */
  key(): void {
    const { bytes } = this;
    if (this.at >= bytes.length) fail('truncated');
    const first = bytes[this.at]!;
    if (SHAPES[first] !== SHAPE.text) fail('key');
    this.text(first);
  }

  private text(first: number): void {
    const marker = this.at++;
    const length = first < 0xc0 ? first & 0x1f : this.length(1 << (first - 0xd9));
    const start = this.take(length);
    const end = start + length;
    this.textStart = start;
    const { bytes } = this;
    if (!isUtf8Range(bytes, start, end)) fail('utf8');
    const isMarked = bytes[start] === MARK[0] && bytes[start + 1] === MARK[1] && bytes[start + 2] === MARK[2];
    if (length > MARKED_TEXT && isMarked) this.marks.push(marker, start);
  }

  /** A value of one marker and a fixed number of bytes. */
  private scalar(first: number): void {
    if (first === 0xc1) fail('reserved');
    if (first >= 0xc4 && first <= 0xc6) fail('binary');
    if (first === 0xca) {
      if (isEndless(this.bytes, this.take(4), FLOAT_EXPONENT)) fail('finite');
    } else if (first === 0xcb) {
      if (isEndless(this.bytes, this.take(8), DOUBLE_EXPONENT)) fail('finite');
    } else if (first >= 0xcc && first <= 0xd3) {
      // Unsigned and signed integers of 1, 2, 4 and 8 bytes.
      this.take(1 << (first & 3));
    } else {
      fail('extension');
    }
  }

  /** A length of this many bytes, big-endian. */
  private length(width: number): number {
    const start = this.take(width);
    let length = 0;
    for (let at = start; at < this.at; at++) length = length * 256 + this.bytes[at]!;
    return length;
  }

  /** Goes on by so many bytes; where they begin. */
  private take(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) fail('truncated');
    this.at = start + count;
    return start;
  }
}

/** Whether all bits of the exponent are set, those of its second byte being `mask` (IEEE 754). */
function isEndless(bytes: Buffer, start: number, mask: number): boolean {
  return (bytes[start]! & 0x7f) === 0x7f && (bytes[start + 1]! & mask) === mask;
}

function fail(fault: Fault): never {
  throw refusal('invalid_msgpack', fault);
}
