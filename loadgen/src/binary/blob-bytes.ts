/** The bytes of `/bench/blob` by the rule BEN-04, made here so that no server vouches for itself. */
import { createHash } from 'node:crypto';

/** Where Marsaglia's generator begins. */
const SEED = 2_463_534_242;

export function blobBytes(size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(4 * Math.ceil(size / 4));
  let state = SEED;
  for (let at = 0; at < bytes.length; at += 4) {
    bytes.writeUInt32LE(state >>> 0, at);
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return bytes.subarray(0, size);
}

/** SHA-256 in hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
