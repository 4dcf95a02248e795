/** Inflates compressed bodies to their very end (rule BOD-03). */
import zlib from 'node:zlib';
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Head } from './head.ts';

/** The compression of a body. */
export type Encoding = 'identity' | 'gzip' | 'zstd';

/** Returns the encoding of a body; any other encoding is a failure. */
export function encodingOf(head: Head): Encoding {
  const values = head.headers.get('content-encoding') ?? ['identity'];
  const value = values.length === 1 ? values[0]!.toLowerCase() : '';
  if (value === 'identity' || value === 'gzip' || value === 'zstd') return value;
  throw new Failure('unsupported_encoding');
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Inflates to the very end (rule BOD-03): members and frames follow one another, and no bytes are left over. */
export async function inflate(
  bytes: Buffer,
  encoding: 'gzip' | 'zstd',
  limit: number,
  buffers: Buffers,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  let at = 0;
  try {
    do {
      const rest = bytes.subarray(at);
      const { buffer, engine } = await inflateOne(rest, encoding, limit, limit - length);
      parts.push(buffer);
      length += buffer.length;
      at += engine.bytesWritten;
      const declared = encoding === 'zstd' ? contentSize(rest) : undefined;
      const isWhole = (declared ?? buffer.length) === buffer.length;
      if (!isWhole || engine.bytesWritten === 0 || (encoding === 'gzip' && at < bytes.length)) {
        throw new Failure('bad_request');
      }
    } while (at < bytes.length);
    return buffers.concat(parts, length);
  } finally {
    buffers.give(bytes.buffer);
  }
}

/** Inflates one zstd frame, or all gzip members. zlib works on Node's thread pool. */
function inflateOne(
  bytes: Buffer,
  encoding: 'gzip' | 'zstd',
  limit: number,
  left: number,
): Promise<Inflated> {
  const options = { info: true, maxOutputLength: Math.max(left, 1) };
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: unknown): void => {
      if (error === null) {
        const inflated = result as Inflated;
        if (inflated.buffer.length > left) reject(new Failure('payload_too_large', { limit }, true));
        else resolve(inflated);
        return;
      }
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      reject(isTooLarge ? new Failure('payload_too_large', { limit }, true) : new Failure('bad_request'));
    };
    if (encoding === 'gzip') {
      zlib.gunzip(bytes, options, done);
    } else {
      const params = { [zlib.constants.ZSTD_d_windowLogMax]: LIMITS.zstd_window_log };
      zlib.zstdDecompress(bytes, { ...options, params }, done);
    }
  });
}

/** Bytes of the field that names a dictionary, and of the declared size, by the bits that select them. */
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];

/**
 * Returns the size that a zstd frame declares for its content (RFC 8878, section 3.1.1). It is checked here: while it
 * streams, zstd does not check it when the last block is empty.
 */
function contentSize(frame: Buffer): number | undefined {
  if (frame.length < 5 || frame.readUInt32LE(0) !== 0xfd2fb528) return undefined;
  const descriptor = frame[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const bytes = SIZE_BYTES[descriptor >> 6]! || (isSingleSegment ? 1 : 0);
  const at = 5 + (isSingleSegment ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]!;
  if (bytes === 0 || frame.length < at + bytes) return undefined;
  if (bytes === 8) return Number(frame.readBigUInt64LE(at));
  // Two bytes count from 256, since one byte holds the smaller sizes.
  return frame.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}
