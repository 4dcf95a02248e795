/**
 * Reads NDJSON: finds the events of a body, one a line, without copying them (rule FMT-02).
 *
 * Pure. Invariant: a line that is not JSON counts as one event and does not affect other lines.
 */
import { isUtf8 } from 'node:buffer';
import type { RawEvents } from '../event.ts';
import { scanLine } from '../json.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

const NEAR_BYTES = 32;

/** Bytes per slice; other requests run between slices. */
const SLICE_BYTES = 1 << 19;

/**
 * Reads the events of a body into `raw`, in slices; returns their number. Events after the first `maxItems` are
 * counted but not kept.
 */
export function* readLines(body: Buffer, raw: RawEvents, maxItems: number): Generator<void, number> {
  const isText = isUtf8(body);
  let count = 0;
  let line = 1;
  let pause = SLICE_BYTES;
  // A body may have millions of lines, so empty or dropped lines create no object.
  for (let at = 0; at < body.length; ) {
    if (at > pause) {
      yield;
      pause = at + SLICE_BYTES;
    }
    const byte = body[at]!;
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === SPACE || byte === TAB) {
      if (byte === LINE_FEED) line++;
      at++;
      continue;
    }
    const end = endOfLine(body, at);
    if (count < maxItems) {
      if (!isText && !isUtf8(body.subarray(at, end))) raw.addNotJson();
      // The slice ends at the line's end but starts at 0, so positions refer to the body.
      else scanLine(body.subarray(0, end), at, raw);
      raw.lines.push(line);
    }
    count++;
    at = end;
  }
  return count;
}

/**
 * Returns the end of the line that continues at `start`. It checks some bytes itself, which is faster for a short
 * line.
 */
function endOfLine(body: Buffer, start: number): number {
  const near = Math.min(start + NEAR_BYTES, body.length);
  for (let at = start; at < near; at++) if (body[at] === LINE_FEED) return at;
  const found = body.indexOf(LINE_FEED, near);
  return found < 0 ? body.length : found;
}

/** Reads the one event of a one-line body; returns whether the body has exactly one line and that line is JSON. */
export function readLine(body: Buffer, raw: RawEvents): boolean {
  const reading = readLines(body, raw, 1);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value === 1 && raw.isJson(0);
}
