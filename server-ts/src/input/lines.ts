/**
 * Splits standard input into batches of lines (rules PRO-12 and PRO-14).
 *
 * Invariant: a line above the limit takes no memory; a text that is not JSON replaces it.
 */
import type { Buffers } from '../buffers.ts';
import { BATCH_BYTES, type Batch } from './batch.ts';
import { Pieces } from './pieces.ts';

/** Replaces a line that is too long; it is not JSON. */
const TOO_LONG = Buffer.from('?');
const LINE_FEED = 0x0a;

/** Received lines that are not taken yet. */
export class Lines {
  private readonly maxLines: number;
  private readonly maxLineBytes: number;
  private readonly buffers: Buffers;
  private readonly pieces = new Pieces();
  /** The lengths of complete lines, including line feeds; negative for lines that were too long. */
  private whole: number[] = [];
  /** The sum of these lengths. */
  private wholeBytes = 0;
  /** The length of the incomplete line. */
  private begun = 0;
  /** The incomplete line is too long, and its remaining bytes are dropped. */
  private isSkipping = false;
  /** The number of the next line. */
  private next = 1;

  /** Accepts batches of at most `maxLines` lines, each of at most `maxLineBytes`. */
  constructor(maxLines: number, maxLineBytes: number, buffers: Buffers) {
    this.maxLines = maxLines;
    this.maxLineBytes = maxLineBytes;
    this.buffers = buffers;
  }

  /** Number of bytes that are not taken yet. */
  get length(): number {
    return this.pieces.length;
  }

  /** Adds received bytes. */
  push(piece: Buffer): void {
    // Bytes of the piece before `from` are already kept or dropped.
    let from = 0;
    let start = 0;
    while (start < piece.length) {
      const found = piece.indexOf(LINE_FEED, start);
      const end = found < 0 ? piece.length : found;
      if (!this.isSkipping && this.begun + end - start > this.maxLineBytes) {
        this.pieces.push(piece.subarray(from, start));
        this.pieces.truncate(this.wholeBytes);
        this.pieces.push(TOO_LONG);
        this.begun = TOO_LONG.length;
        this.isSkipping = true;
      }
      if (this.isSkipping) from = end;
      else this.begun += end - start;
      if (found >= 0) this.endLine(1);
      start = end + 1;
    }
    this.pieces.push(piece.subarray(from));
  }

  /** Returns an upper bound for the size of the next batch; `undefined` before a line is complete. */
  ready(): number | undefined {
    return this.whole.length > 0 ? this.wholeBytes : undefined;
  }

  /** Takes the next batch: as many complete lines as it may have. */
  take(): Batch | undefined {
    let length = 0;
    let count = 0;
    const tooLong: number[] = [];
    for (const signed of this.whole) {
      const line = Math.abs(signed);
      if (count === this.maxLines || (count > 0 && length + line > BATCH_BYTES)) break;
      length += line;
      count++;
      if (signed < 0) tooLong.push(count);
    }
    if (count === 0) return undefined;
    this.whole = this.whole.slice(count);
    this.wholeBytes -= length;
    const first = this.next;
    this.next += count;
    const body = this.buffers.bytes(length);
    this.pieces.take(body);
    return { body, place: { kind: 'lines', first, last: this.next - 1 }, tooLong };
  }

  /** Marks the end of the input: a last line without a line feed is complete. */
  end(): void {
    if (this.begun > 0) this.endLine(0);
  }

  private endLine(feedBytes: number): void {
    const length = this.begun + feedBytes;
    this.whole.push(this.isSkipping ? -length : length);
    this.wholeBytes += length;
    this.begun = 0;
    this.isSkipping = false;
  }
}
