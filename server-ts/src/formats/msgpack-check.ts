/**
 * Checks a body in MessagePack before a library decodes it (rules FMT-03 and FMT-04).
 *
 * Pure. Invariant: the check takes no memory but the places of the events, whatever the body declares, and what passes
 * is well-formed to its last byte.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract.ts';
import { type Fault, refusal } from './fault.ts';

/** Where the events of a batch lie. */
export interface Places {
  /** A start and an end of each of the first ones, as many as were asked for. */
  readonly events: readonly number[];
  /** How many there are. */
  readonly count: number;
}

/** How many bytes are checked before others run. */
const SLICE_BYTES = 1 << 19;
/** Longer texts are checked by a call into native code. */
const SHORT_TEXT = 48;
/** The library drops a byte order mark at the beginning of longer texts. */
const MARKED_TEXT = 64;

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
  if (isMap(body[0])) {
    const pairs = walker.container(0);
    for (let pair = 0; pair < pairs; pair++) {
      if (!walker.keyIs(EVENTS)) {
        walker.skipValue(1);
        continue;
      }
      places = undefined;
      if (isArray(body[walker.at])) places = yield* checkEvents(walker, maxItems);
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

/** Whether a value with this first byte is a map. */
export function isMap(first: number | undefined): boolean {
  return first !== undefined && (first >> 4 === 0x8 || first === 0xde || first === 0xdf);
}

function isArray(first: number | undefined): boolean {
  return first !== undefined && (first >> 4 === 0x9 || first === 0xdc || first === 0xdd);
}

function isText(first: number): boolean {
  return first >> 5 === 0x5 || (first >= 0xd9 && first <= 0xdb);
}

class Walker {
  at = 0;
  private readonly bytes: Buffer;
  /** The places of texts that begin with a byte order mark: of the marker, and of the text. */
  private readonly marks: number[];

  constructor(bytes: Buffer, marks: number[]) {
    this.bytes = bytes;
    this.marks = marks;
  }

  end(): void {
    if (this.at !== this.bytes.length) fail('trailing');
  }

  /** Any value, which lies in `depth` containers. It recurses as deep as the rules let a body nest. */
  skipValue(depth: number): void {
    const { bytes } = this;
    if (this.at >= bytes.length) fail('truncated');
    const first = bytes[this.at]!;
    if (first < 0x80 || first >= 0xe0) {
      this.at++;
    } else if (isText(first)) {
      this.text(first);
    } else if (isArray(first)) {
      const count = this.container(depth);
      for (let left = count; left > 0; left--) this.skipValue(depth + 1);
    } else if (isMap(first)) {
      const pairs = this.container(depth);
      for (let left = pairs; left > 0; left--) {
        this.key();
        this.skipValue(depth + 1);
      }
    } else {
      this.at++;
      this.scalar(first);
    }
  }

  /** The beginning of an array or a map; how many elements or pairs it has. */
  container(depth: number): number {
    const { bytes } = this;
    const first = bytes[this.at++]!;
    // Its marker says how deep it lies, so that is checked before its count.
    if (depth >= LIMITS.json_depth) fail('depth');
    const isPairs = isMap(first);
    const count = first < 0xa0 ? first & 0x0f : this.length(first === 0xdc || first === 0xde ? 2 : 4);
    const left = bytes.length - this.at;
    if (count > (isPairs ? Math.floor(left / 2) : left)) fail('truncated');
    return count;
  }

  /** Skips a key; whether it is this one. */
  keyIs(name: Buffer): boolean {
    this.key();
    return name.equals(this.bytes.subarray(this.textStart, this.at));
  }

  /** Where the last text began. */
  private textStart = 0;

  private key(): void {
    const { bytes } = this;
    if (this.at >= bytes.length) fail('truncated');
    const first = bytes[this.at]!;
    if (!isText(first)) fail('key');
    this.text(first);
  }

  private text(first: number): void {
    const marker = this.at++;
    const length = first < 0xc0 ? first & 0x1f : this.length(1 << (first - 0xd9));
    const start = this.take(length);
    const end = start + length;
    this.textStart = start;
    const { bytes } = this;
    if (length > SHORT_TEXT) {
      const text = bytes.subarray(start, end);
      if (!isUtf8(text)) fail('utf8');
      if (length > MARKED_TEXT && text[0] === MARK[0] && text[1] === MARK[1] && text[2] === MARK[2])
        this.marks.push(marker, start);
      return;
    }
    for (let at = start; at < end; at++) {
      if (bytes[at]! < 0x80) continue;
      if (!isUtf8(bytes.subarray(at, end))) fail('utf8');
      return;
    }
  }

  /** A value of one marker and a fixed number of bytes. */
  private scalar(first: number): void {
    if (first === 0xc0 || first === 0xc2 || first === 0xc3) return;
    if (first === 0xc1) fail('reserved');
    if (first >= 0xc4 && first <= 0xc6) fail('binary');
    if (first === 0xca) {
      if (!Number.isFinite(this.bytes.readFloatBE(this.take(4)))) fail('finite');
    } else if (first === 0xcb) {
      if (!Number.isFinite(this.bytes.readDoubleBE(this.take(8)))) fail('finite');
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

function fail(fault: Fault): never {
  throw refusal('invalid_msgpack', fault);
}
