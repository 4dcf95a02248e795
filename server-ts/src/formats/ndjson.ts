/**
 * Reads NDJSON: finds the events of a body, one a line, where they lie (rule FMT-02).
 *
 * Pure. Invariant: a line that is no JSON counts as one event and changes no other line.
 */
import { isUtf8 } from 'node:buffer';
import type { RawEvents } from '../event.ts';
import { scanLine } from '../json.ts';
import { skipSpace } from '../scanner.ts';

const LINE_FEED = 0x0a;

/** How many bytes are read in one slice; other requests run between slices. */
const SLICE_BYTES = 1 << 19;

/**
 * Reads the events of a body into `raw`, in slices; returns how many there are. Those after the first `maxItems` are
 * counted and not kept.
 */
export function* readLines(body: Buffer, raw: RawEvents, maxItems: number): Generator<void, number> {
  const isText = isUtf8(body);
  let count = 0;
  let line = 0;
  let pause = SLICE_BYTES;
  for (let start = 0; start < body.length; ) {
    if (start > pause) {
      yield;
      pause = start + SLICE_BYTES;
    }
    // A body may have millions of empty lines.
    if (body[start] === LINE_FEED) {
      line++;
      start++;
      continue;
    }
    const found = body.indexOf(LINE_FEED, start);
    const end = found < 0 ? body.length : found;
    line++;
    // The bytes end with the line, and positions are those of the body.
    const bytes = body.subarray(0, end);
    const first = skipSpace(bytes, start);
    if (first < end) {
      if (count < maxItems) {
        if (!isText && !isUtf8(body.subarray(first, end))) raw.addNotJson();
        else scanLine(bytes, first, raw);
        raw.lines.push(line);
      }
      count++;
    }
    start = end + 1;
  }
  return count;
}

/** Reads the one event of a body that has one line; returns whether it has exactly one, which is JSON. */
export function readLine(body: Buffer, raw: RawEvents): boolean {
  const reading = readLines(body, raw, 1);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value === 1 && raw.isJson(0);
}
