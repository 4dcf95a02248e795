/**
 * Scans a JSON text in slices, so that other requests run meanwhile.
 *
 * Pure. In Rust a large body is read in a thread of its own, so only this side has this file.
 */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from '../scanner.ts';

/** How many bytes are scanned in one slice. */
const SLICE_BYTES = 1 << 19;

/** A member of an object, or an item of an array; the key lies without its quotes. */
export interface Child {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
  /** How many of its levels are scanned in slices. */
  readonly levels: number;
}

/**
 * Gives every child of the container at `start`, and returns its end, or `INVALID`; `undefined` is a pause. `depth`
 * more levels are allowed. Children are scanned in slices where they are among the first `levels` levels.
 */
export function* children(
  bytes: Buffer,
  start: number,
  depth: number,
  levels: number,
): Generator<Child | undefined, number> {
  if (depth === 0) return INVALID;
  const isObject = bytes[start] === OPEN_OBJECT;
  const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  let pause = start + SLICE_BYTES;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    let [keyStart, keyEnd] = [0, 0];
    if (isObject) {
      if (bytes[at] !== QUOTE) return INVALID;
      keyStart = at + 1;
      at = skipString(bytes, keyStart);
      if (at === INVALID) return INVALID;
      keyEnd = at - 1;
      at = skipSpace(bytes, at);
      if (bytes[at] !== COLON) return INVALID;
      at = skipSpace(bytes, at + 1);
    }
    const from = at;
    at = yield* skipInSlices(bytes, at, depth - 1, levels - 1);
    if (at === INVALID) return INVALID;
    yield { keyStart, keyEnd, start: from, end: at, levels: levels - 1 };
    if (at > pause) {
      yield undefined;
      pause = at + SLICE_BYTES;
    }
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === close) return at + 1;
    if (next !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** The end of the value that begins here, or `INVALID`; it looks into the first `levels` levels in slices. */
export function* skipInSlices(
  bytes: Buffer,
  start: number,
  depth: number,
  levels: number,
): Generator<undefined, number> {
  const first = bytes[start];
  if (levels <= 0 || (first !== OPEN_OBJECT && first !== OPEN_ARRAY)) return skipValue(bytes, start, depth);
  const walk = children(bytes, start, depth, levels);
  let step = walk.next();
  while (!step.done) {
    if (step.value === undefined) yield undefined;
    step = walk.next();
  }
  return step.value;
}
