/**
 * Reads the head of a frame of zstd.
 *
 * Only server-ts has this file: the library of Rust has the function.
 */

/** Bytes of the field that names a dictionary, and of the declared size, by the bits that select them. */
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];

/**
 * Returns the size that a zstd frame declares for its content (RFC 8878, section 3.1.1). zstd does not check it while it
 * streams when the last block is empty.
 */
export function contentSize(frame: Buffer): number | undefined {
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
