/**
 * Finds frames in standard input: a length of four bytes, big-endian, and a batch of that length (rules PRO-12 and
 * PRO-14).
 *
 * Invariant: a frame takes memory for received bytes only, never for its declared length.
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import { type Batch, Broken } from './batch.ts';
import { Pieces } from './pieces.ts';

/** Size of a frame's length prefix. */
const HEADER_BYTES = 4;

/** Received frames that are not taken yet. */
export class Frames {
  private readonly maxBytes: number;
  private readonly buffers: Buffers;
  private readonly pieces = new Pieces();
  /** The number of the next frame. */
  private next = 1;

  /** Accepts frames of at most `maxBytes`. */
  constructor(maxBytes: number, buffers: Buffers) {
    this.maxBytes = maxBytes;
    this.buffers = buffers;
  }

  /** Number of bytes that are not taken yet. */
  get length(): number {
    return this.pieces.length;
  }

  /** Adds received bytes. */
  push(piece: Buffer): void {
    this.pieces.push(piece);
  }

  /**
   * Returns the size of the next frame; `undefined` before it is complete. Returns 0 when it declares too many bytes,
   * which `take` refuses.
   */
  ready(): number | undefined {
    const length = this.declared();
    if (length === undefined) return undefined;
    if (length > this.maxBytes) return 0;
    return this.pieces.length - HEADER_BYTES >= length ? length : undefined;
  }

  /** Takes the next frame if it is complete; throws `Broken` when it declares too many bytes. */
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

  /** Marks the end of the input; throws `Broken` when it cuts a frame. */
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
