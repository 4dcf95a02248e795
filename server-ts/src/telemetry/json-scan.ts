/**
 * Scans a JSON text in slices, so that other requests run in between.
 *
 * Pure. Only server-ts has this file: Rust reads a large body in a thread of its own.
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

/** Bytes per slice, and the largest number of children that it yields. */
const SLICE_BYTES = 1 << 19;
const SLICE_CHILDREN = 10_000;

/** A member of an object, or an item of an array; the key's range excludes its quotes. */
export interface Child {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
  /** Number of levels that are scanned in slices. */
  readonly levels: number;
}

/**
 * Yields every child of the container at `start`, and returns its end, or `INVALID`; `undefined` is a pause. `depth`
 * more levels are allowed. The first `levels` levels are scanned in slices.
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
  let left = SLICE_CHILDREN;
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
    if (at > pause || --left === 0) {
      yield undefined;
      pause = at + SLICE_BYTES;
      left = SLICE_CHILDREN;
    }
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === close) return at + 1;
    if (next !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the end of the value that starts here, or `INVALID`; scans the first `levels` levels in slices. */
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
