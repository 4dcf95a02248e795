/**
 * Packs the valid events of one request for the writer's thread, and reads their text there.
 *
 * A job crosses the threads as a few numbers. They refer to memory that both threads see, or to memory that is
 * transferred with them and comes back with the answer (`buffers`). Only server-ts has this file: threads of Rust
 * share all memory.
 */
import { type EventTable, intsIn, numbersIn } from '../event.ts';
import { INT_WIDTH, NUMBER_WIDTH } from '../field.ts';

/** The valid events of one request, in the form for the writer; see `EventTable`. */
export interface Submission {
  readonly body: Buffer;
  readonly extra: Buffer | undefined;
  readonly numbers: Float64Array;
  readonly ints: Int32Array;
  readonly count: number;
  /** Whether body and extra are ASCII, which makes reading text cheaper. */
  readonly ascii: boolean;
}

export const UUID_BYTES = 16;
export const UUID_LENGTH = 36;

/** The value of a lower-case hexadecimal digit, otherwise 255. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return at < 0 ? 255 : at;
});

/** How many numbers each submission has in a message, in the order of `putSubmission`. */
const SUBMISSION_WIDTH = 8;

/**
 * Appends a submission to a message. `placeOf` returns the reference to memory: the number that the thread knows, or
 * a negative index into the message's own memory.
 */
export function putSubmission(
  message: number[],
  { body, extra, memory, capacity, count }: EventTable,
  ascii: boolean,
  placeOf: (memory: ArrayBufferLike) => number,
): void {
  message.push(placeOf(body.buffer), body.length, placeOf(memory), capacity, count, ascii ? 1 : 0);
  if (extra === undefined) message.push(0, 0);
  else message.push(placeOf(extra.buffer), extra.length);
}

/** Returns the submissions of a message; `memoryAt` resolves a reference to memory. */
export function submissionsIn(
  message: readonly number[],
  memoryAt: (place: number) => ArrayBufferLike,
): Submission[] {
  const submissions: Submission[] = [];
  for (let at = 0; at < message.length; at += SUBMISSION_WIDTH) {
    const [body, length, tables, capacity, count, ascii, extra, extraLength] = message.slice(
      at,
      at + SUBMISSION_WIDTH,
    ) as [number, number, number, number, number, number, number, number];
    const memory = memoryAt(tables);
    submissions.push({
      body: Buffer.from(memoryAt(body), 0, length),
      extra: extraLength === 0 ? undefined : Buffer.from(memoryAt(extra), 0, extraLength),
      numbers: numbersIn(memory, capacity),
      ints: intsIn(memory, capacity),
      count,
      ascii: ascii === 1,
    });
  }
  return submissions;
}

/** Returns the events of a submission from one row up to another one. */
export function rowsOf(submission: Submission, start: number, end: number): Submission {
  return {
    ...submission,
    numbers: submission.numbers.subarray(start * NUMBER_WIDTH, end * NUMBER_WIDTH),
    ints: submission.ints.subarray(start * INT_WIDTH, end * INT_WIDTH),
    count: end - start,
  };
}

/** Returns the ids of a submission whose events are all new. */
export function idsFrom(first: number, count: number): Float64Array {
  const ids = new Float64Array(count);
  for (let at = 0; at < count; at++) ids[at] = first + at;
  return ids;
}

/** Returns the bytes of a range. */
export function bytesAt(submission: Submission, start: number, end: number): Buffer {
  const behind = submission.body.length;
  if (start < behind) return submission.body.subarray(start, end);
  return submission.extra!.subarray(start - behind, end - behind);
}

export function textAt(submission: Submission, start: number, end: number): string {
  const behind = submission.body.length;
  const inBody = start < behind;
  const bytes = inBody ? submission.body : submission.extra!;
  const from = inBody ? start : start - behind;
  return submission.ascii
    ? bytes.toString('latin1', from, from + end - start)
    : bytes.toString('utf8', from, from + end - start);
}

/** Reads `8-4-4-4-12` lower-case hexadecimal digits; returns whether the text has this form. */
export function readUuid(bytes: Buffer, start: number, uuid: Buffer): boolean {
  let at = start;
  for (let byte = 0; byte < UUID_BYTES; byte++) {
    if ((byte === 4 || byte === 6 || byte === 8 || byte === 10) && bytes[at++] !== 0x2d) return false;
    const high = HEX[bytes[at++]!]!;
    const low = HEX[bytes[at++]!]!;
    if (high > 15 || low > 15) return false;
    uuid[byte] = high * 16 + low;
  }
  return true;
}
