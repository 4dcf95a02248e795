/**
 * Packs the valid events of one request for the writer's thread, and reads their text there.
 *
 * Numbers cross, a few for each job: of memory that both threads see, or of memory that is handed over with them and
 * comes back with the answer (`buffers`). Only this side has this file: threads of Rust share everything.
 */
import { type EventTable, intsIn, numbersIn } from '../event.ts';

/** The valid events of one request, as they cross to the writer; see `EventTable`. */
export interface Submission {
  readonly body: Buffer;
  readonly extra: Buffer | undefined;
  readonly numbers: Float64Array;
  readonly ints: Int32Array;
  readonly count: number;
  /** Whether body and extra are ASCII, which makes text cheaper to take out. */
  readonly ascii: boolean;
}

export const UUID_BYTES = 16;
export const UUID_LENGTH = 36;

/** The value of a lower-case hexadecimal digit, else 255. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return at < 0 ? 255 : at;
});

/** Numbers of each submission in a message, in the order of `putSubmission`. */
const SUBMISSION_WIDTH = 8;

/**
 * Puts a submission behind those that are in a message. `placeOf` says where memory is found: the number that the thread knows
 * it by, or below zero which of the message's own it is.
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

/** The submissions of a message; `memoryAt` finds the memory of a place. */
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

/** The ids of a submission's events where all of them are new. */
export function idsFrom(first: number, count: number): Float64Array {
  const ids = new Float64Array(count);
  for (let at = 0; at < count; at++) ids[at] = first + at;
  return ids;
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

/** Reads `8-4-4-4-12` lower-case hexadecimal digits; whether the text was that. */
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
