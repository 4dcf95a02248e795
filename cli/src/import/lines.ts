/**
 * Reads the lines of a file one after the other.
 *
 * Invariant: it holds one line and one piece of the file. A line above the bound is dropped while it is read.
 */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

/** Longest line that is read, in bytes. Images in transcripts are base64 texts. */
export const MOST_LINE_BYTES = 32 * 1024 * 1024;
const LF = 10;

export interface Line {
  /** Number of the line, counted from 1. */
  readonly number: number;
  /** The text without its end; `null` for a line above the bound, or one that is not UTF-8. */
  readonly text: string | null;
  /** Why there is no text. */
  readonly fault: 'too long' | 'not UTF-8' | null;
  /** Length with its end. */
  readonly bytes: number;
}

/** Yields every line, also a last one without a line feed. Throws the file system's error. */
export async function* linesOf(path: string, most = MOST_LINE_BYTES): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const end = (extra: number): Line => {
    const whole = Buffer.concat(pieces);
    // A decoder would replace bytes that are not UTF-8, and the stored text would not be what the agent wrote.
    const fault = bytes > most ? 'too long' : isUtf8(whole) ? null : 'not UTF-8';
    const text = fault === null ? whole.toString('utf8') : null;
    const line = { number: ++number, text, fault, bytes: bytes + extra } as const;
    pieces = [];
    bytes = 0;
    return line;
  };
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= most) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
      take(chunk.subarray(start, at));
      yield end(1);
      start = at + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (bytes > 0) yield end(0);
}
