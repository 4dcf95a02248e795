/**
 * Finds frames in standard input: a length of four bytes, big-endian, and a batch of that length (rules PRO-12 and
 * PRO-14).
 *
 * Invariant: a frame takes memory for the bytes that came, never for the length that it declares.
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import { type Batch, Broken } from './batch.ts';
import { Pieces } from './pieces.ts';

/** How many bytes the length of a frame has. */
const HEADER_BYTES = 4;

/** Frames that came and were not taken yet. */
export class Frames {
  private readonly maxBytes: number;
  private readonly buffers: Buffers;
  private readonly pieces = new Pieces();
  /** The number of the next frame. */
  private next = 1;

  /** Frames of at most `maxBytes`. */
  constructor(maxBytes: number, buffers: Buffers) {
    this.maxBytes = maxBytes;
    this.buffers = buffers;
  }

  /** How many bytes were not taken yet. */
  get length(): number {
    return this.pieces.length;
  }

  /** Takes in what was read. */
  push(piece: Buffer): void {
    this.pieces.push(piece);
  }

  /**
   * How many bytes the next frame has; nothing before it has come whole. 0 when it declares too many, which `take`
   * refuses.
   */
  ready(): number | undefined {
    const length = this.declared();
    if (length === undefined) return undefined;
    if (length > this.maxBytes) return 0;
    return this.pieces.length - HEADER_BYTES >= length ? length : undefined;
  }

  /** The next frame, if it has come whole; throws `Broken` when it declares too many bytes. */
  take(): Batch | undefined {
    const length = this.ready();
    if (length === undefined) return undefined;
    const declared = this.declared()!;
    if (declared > this.maxBytes) {
      throw this.broken(new Failure('payload_too_large', { limit: this.maxBytes, actual: declared }));
    }
    this.pieces.take(Buffer.alloc(HEADER_BYTES));
    const body = this.buffers.bytes(length);
    this.pieces.take(body);
    return { body, place: { kind: 'frame', number: this.next++ }, tooLong: [] };
  }

  /** No more bytes come; throws `Broken` when they cut a frame. */
  end(): void {
    if (this.pieces.length > 0) throw this.broken(new Failure('bad_request'));
  }

  private declared(): number | undefined {
    return this.pieces.first(HEADER_BYTES)?.readUInt32BE();
  }

  private broken(failure: Failure): Broken {
    return new Broken({ kind: 'frame', number: this.next }, failure);
  }
}
