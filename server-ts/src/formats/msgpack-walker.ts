/**
 * Walks through a value of MessagePack without decoding it (rule FMT-04).
 *
 * Pure. Invariant: everything before the walker's position is well-formed. The walker allocates nothing, whatever the
 * body declares.
 */
import { LIMITS } from '../contract.ts';
import { type Fault, refusal } from './fault.ts';
import { isUtf8Range } from './utf8.ts';

/** Masks of the exponent's bits in the second byte of a float and of a double. */
const FLOAT_EXPONENT = 0x80;
const DOUBLE_EXPONENT = 0xf0;

/** Bound of the markers of short containers, which contain the number of elements. */
const SHORT_CONTAINERS = 0xa0;

const MOST_DEPTH = LIMITS.json_depth;

/**
 * The kinds of values, by their first byte. A value of kind `other` has a fixed number of bytes after its marker, or is
 * not allowed.
 */
export const SHAPE = { byte: 0, text: 1, array: 2, map: 3, other: 4 } as const;
const SHAPES = Uint8Array.from({ length: 256 }, (_, first) => shapeOf(first));

function shapeOf(first: number): number {
  if (first < 0x80 || first >= 0xe0 || first === 0xc0 || first === 0xc2 || first === 0xc3) return SHAPE.byte;
  if (first >> 4 === 0x8 || first === 0xde || first === 0xdf) return SHAPE.map;
  if (first >> 4 === 0x9 || first === 0xdc || first === 0xdd) return SHAPE.array;
  return first >> 5 === 0x5 || (first >= 0xd9 && first <= 0xdb) ? SHAPE.text : SHAPE.other;
}

/** Returns the kind of the value that starts at `at`. */
export function shapeAt(bytes: Buffer, at: number): number {
  return at < bytes.length ? SHAPES[bytes[at]!]! : SHAPE.other;
}

/** Walks through a body, value by value. */
export class Walker {
  /** Number of bytes passed. */
  at = 0;
  /** Start of the last text, which ends at `at`. */
  textStart = 0;
  private readonly bytes: Buffer;
  /** Number of containers around the current value, and number of its own open containers around the innermost one. */
  private depth = 0;
  private level = 0;
  /** Remaining values of the innermost container. Negative for a map, where a key also counts as a value. */
  private left = 0;
  /** The remaining values of the containers around the innermost one. */
  private readonly open = new Int32Array(MOST_DEPTH);

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Checks that nothing follows. */
  end(): void {
    if (this.at !== this.bytes.length) fail('trailing');
  }

  /** Skips a value of one byte that is no container; returns whether it found one. */
  skipByte(): boolean {
    if (shapeAt(this.bytes, this.at) !== SHAPE.byte) return false;
    this.at++;
    return true;
  }

  /** Skips a value at nesting depth `depth`. Does not recurse. */
  skipValue(depth: number): void {
    this.begin(depth, 1);
    this.skipUntil(this.bytes.length);
  }

  /** Starts a walk over `count` values at nesting depth `depth`; `skipUntil` skips them. */
  begin(depth: number, count: number): void {
    this.depth = depth;
    this.level = 0;
    this.left = count;
  }

  /** Continues the walk. Returns whether all values are passed; otherwise the walker is at `pause` or after it. */
  skipUntil(pause: number): boolean {
    const { bytes, open, depth } = this;
    const { length } = bytes;
    const end = Math.min(pause, length);
    let { at, level, left } = this;
    for (;;) {
      if (left === 0) {
        if (level === 0) break;
        left = open[--level]!;
        continue;
      }
      if (at >= end) {
        if (at >= length) fail('truncated');
        break;
      }
      const first = bytes[at]!;
      const shape = SHAPES[first]!;
      if (left > 0) {
        left--;
      } else {
        if ((left & 1) === 0 && shape !== SHAPE.text) fail('key');
        left++;
      }
      if (shape === SHAPE.byte) {
        at++;
        // A body may have millions of such elements in a row.
        while (left > 0 && at < end && SHAPES[bytes[at]!] === SHAPE.byte) {
          at++;
          left--;
        }
      } else if (shape === SHAPE.text) {
        at = this.text(at, first);
      } else if (shape === SHAPE.other) {
        this.at = at + 1;
        this.scalar(first);
        at = this.at;
      } else {
        let count = first & 0x0f;
        if (first < SHORT_CONTAINERS && depth + level < MOST_DEPTH) {
          at++;
          if (count === 0) continue;
        } else {
          this.at = at;
          count = this.container(depth + level);
          at = this.at;
        }
        open[level++] = left;
        // Avoids -0, which V8 does not store as a small integer.
        left = shape === SHAPE.map ? 0 - 2 * count : count;
        if (Math.abs(left) > length - at) fail('truncated');
      }
    }
    this.at = at;
    this.level = level;
    this.left = left;
    return left === 0;
  }

  /** Takes the header of an array or a map at nesting depth `depth`; returns its number of elements or pairs. */
  container(depth: number): number {
    const { bytes } = this;
    const first = bytes[this.at++]!;
    // Checks the depth before the count, which follows the marker (rule FMT-04).
    if (depth >= MOST_DEPTH) fail('depth');
    const count = first < 0xa0 ? first & 0x0f : this.length(first === 0xdc || first === 0xde ? 2 : 4);
    const least = SHAPES[first] === SHAPE.map ? 2 * count : count;
    if (least > bytes.length - this.at) fail('truncated');
    return count;
  }

  /** Takes a key; returns whether it equals `name`. */
  keyIs(name: Buffer): boolean {
    this.key();
    const { bytes, textStart } = this;
    // Creating a view of the bytes for each key would cost more than this comparison.
    if (this.at - textStart !== name.length) return false;
    let same = 0;
    while (same < name.length && bytes[textStart + same] === name[same]) same++;
    return same === name.length;
  }

  /** Takes a key. A key that is not a string is the fault `key`, whatever else is wrong with it. */
  key(): void {
    const { bytes } = this;
    if (this.at >= bytes.length) fail('truncated');
    const first = bytes[this.at]!;
    if (SHAPES[first] !== SHAPE.text) fail('key');
    this.at = this.text(this.at, first);
  }

  /** Checks the text whose marker `first` is at `at`; returns its end. */
  private text(at: number, first: number): number {
    let start = at + 1;
    let length = first & 0x1f;
    if (first >= 0xc0) {
      this.at = start;
      length = this.length(1 << (first - 0xd9));
      start = this.at;
    }
    const { bytes } = this;
    const end = start + length;
    if (end > bytes.length) fail('truncated');
    this.textStart = start;
    if (!isUtf8Range(bytes, start, end)) fail('utf8');
    return end;
  }

  /** Takes the bytes after the marker of a value with a fixed length. */
  private scalar(first: number): void {
    if (first === 0xc1) fail('reserved');
    if (first >= 0xc4 && first <= 0xc6) fail('binary');
    if (first === 0xca) {
      if (isNotFinite(this.bytes, this.take(4), FLOAT_EXPONENT)) fail('finite');
    } else if (first === 0xcb) {
      if (isNotFinite(this.bytes, this.take(8), DOUBLE_EXPONENT)) fail('finite');
    } else if (first >= 0xcc && first <= 0xd3) {
      // Unsigned and signed integers of 1, 2, 4 and 8 bytes.
      this.take(1 << (first & 3));
    } else {
      fail('extension');
    }
  }

  /** Reads a big-endian length of this many bytes. */
  private length(width: number): number {
    const start = this.take(width);
    let length = 0;
    for (let at = start; at < this.at; at++) length = length * 256 + this.bytes[at]!;
    return length;
  }

  /** Takes `count` bytes; returns their start. */
  private take(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) fail('truncated');
    this.at = start + count;
    return start;
  }
}

/**
 * Returns whether a float is infinite or NaN: all bits of its exponent are set (IEEE 754). `mask` selects the
 * exponent's bits in the second byte.
 */
function isNotFinite(bytes: Buffer, start: number, mask: number): boolean {
  return (bytes[start]! & 0x7f) === 0x7f && (bytes[start + 1]! & mask) === mask;
}

function fail(fault: Fault): never {
  throw refusal('invalid_msgpack', fault);
}
