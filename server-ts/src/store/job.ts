/**
 * The valid events of one request on their way to the writer's thread, and how text is taken out of them there.
 *
 * Their memory is handed over and comes back with the answer. Only this side has this file: threads of Node
 * share nothing.
 */
import { intsIn, numbersIn } from '../event.ts';

/** As it crosses. */
export interface JobMessage {
  readonly body: Uint8Array;
  readonly extra: Uint8Array | undefined;
  /** The numbers, then the integers, of an `EventTable`. */
  readonly tables: ArrayBuffer;
  readonly capacity: number;
  readonly count: number;
  readonly ascii: boolean;
}

/** The valid events of one request, as they cross to the writer; see `EventTable`. */
export interface Job {
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

export function toJob(message: JobMessage): Job {
  const body = Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength);
  const extra = message.extra;
  return {
    body,
    extra: extra && Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength),
    numbers: numbersIn(message.tables, message.capacity),
    ints: intsIn(message.tables, message.capacity),
    count: message.count,
    ascii: message.ascii,
  };
}

export function textAt(job: Job, start: number, end: number): string {
  const behind = job.body.length;
  const inBody = start < behind;
  const bytes = inBody ? job.body : job.extra!;
  const from = inBody ? start : start - behind;
  return job.ascii
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
