/** Inflates compressed bodies to their very end (rule BOD-03). */
import zlib from 'node:zlib';
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import { contentSize } from '../zstd.ts';
import { type Head, headerOf, trimBlank } from './head.ts';

/** The compression of a body. */
export type Encoding = 'identity' | 'gzip' | 'zstd';

/**
 * Returns the encoding of a body; any other encoding, and several of them, are a failure. `identity` and empty items of
 * the list have no effect (RFC 9110, sections 5.6.1 and 8.4).
 */
export function encodingOf(head: Head): Encoding {
  let encoding: Encoding = 'identity';
  for (const item of headerOf(head, 'content-encoding')?.toLowerCase().split(',') ?? []) {
    const given = trimBlank(item);
    if (given === '' || given === 'identity') continue;
    const next = given === 'x-gzip' ? 'gzip' : given;
    if (encoding !== 'identity' || (next !== 'gzip' && next !== 'zstd'))
      throw new Failure('unsupported_encoding');
    encoding = next;
  }
  return encoding;
}

/** The most bytes of one step of inflating. A step runs on Node's thread pool, its bytes are copied on this thread. */
const STEP_BYTES = 1 << 18;
const LEAST_STEP_BYTES = 1 << 10;
/** gzip never inflates to more than this multiple (RFC 1951: 258 bytes in two bits). */
const MOST_RATIO = 1032;

/** Inflates to the very end (rule BOD-03): members and frames follow one another, and no bytes are left over. */
export async function inflate(
  bytes: Buffer,
  encoding: 'gzip' | 'zstd',
  limit: number,
  buffers: Buffers,
): Promise<Buffer> {
  const inflated = new Inflated(buffers, limit);
  let at = 0;
  try {
    do {
      const before = inflated.length;
      const rest = bytes.subarray(at);
      const declared = encoding === 'zstd' ? contentSize(rest) : undefined;
      const taken = await inflateOne(rest, encoding, declared, inflated);
      at += taken;
      const isWhole = declared === undefined || declared === inflated.length - before;
      if (!isWhole || taken === 0 || (encoding === 'gzip' && at < bytes.length)) {
        throw new Failure('bad_request');
      }
    } while (at < bytes.length);
    return inflated.take();
  } finally {
    inflated.release();
    buffers.give(bytes.buffer);
  }
}

/** Collects inflated bytes in memory of `buffers`. */
class Inflated {
  length = 0;
  readonly limit: number;
  private readonly buffers: Buffers;
  private whole: Buffer | undefined;

  constructor(buffers: Buffers, limit: number) {
    this.buffers = buffers;
    this.limit = limit;
  }

  /** Makes room for this many more bytes, within the limit. */
  reserve(count: number): void {
    const needed = Math.min(this.length + count, this.limit);
    const { whole } = this;
    if (whole !== undefined && whole.length >= needed) return;
    const larger = this.buffers.bytes(Math.min(Math.max(needed, 2 * this.length), this.limit));
    if (whole !== undefined) {
      whole.copy(larger, 0, 0, this.length);
      this.buffers.give(whole.buffer);
    }
    this.whole = larger;
  }

  /** Adds bytes; more than the limit is a failure. */
  push(bytes: Buffer): void {
    const { limit } = this;
    if (this.length + bytes.length > limit) throw new Failure('payload_too_large', { limit }, true);
    this.reserve(bytes.length);
    this.length += bytes.copy(this.whole!, this.length);
  }

  /** Returns the bytes; the caller gives their memory back. */
  take(): Buffer {
    this.reserve(0);
    const whole = this.whole!;
    this.whole = undefined;
    return Buffer.from(whole.buffer, 0, this.length);
  }

  /** Gives the memory back unless `take` returned it. */
  release(): void {
    if (this.whole !== undefined) this.buffers.give(this.whole.buffer);
    this.whole = undefined;
  }
}

/** Inflates one zstd frame, or all gzip members; returns the number of compressed bytes that it read. */
async function inflateOne(
  bytes: Buffer,
  encoding: 'gzip' | 'zstd',
  declared: number | undefined,
  inflated: Inflated,
): Promise<number> {
  const expected = Math.min(declared ?? memberSize(bytes), inflated.limit);
  // One byte more than expected: zlib then needs no second step to find the end.
  const chunkSize = Math.min(Math.max(expected + 1, LEAST_STEP_BYTES), STEP_BYTES);
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: LIMITS.zstd_window_log };
  const engine =
    encoding === 'gzip' ? zlib.createGunzip({ chunkSize }) : zlib.createZstdDecompress({ chunkSize, params });
  engine.end(bytes);
  inflated.reserve(expected);
  try {
    for await (const piece of engine as AsyncIterable<Buffer<ArrayBuffer>>) {
      inflated.push(piece);
      // The engine has left a whole block. This frees it now, so that it forces no collection (see `Buffers`).
      if (piece.length === piece.buffer.byteLength) piece.buffer.transfer(0);
    }
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('bad_request');
  }
  return engine.bytesWritten;
}

/** Returns the size that the last gzip member declares (RFC 1952, `ISIZE`), if the bytes can inflate to it. */
function memberSize(bytes: Buffer): number {
  const declared = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(declared, bytes.length * MOST_RATIO);
}
