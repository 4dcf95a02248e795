/** The bytes of `/bench/blob` by the rule BEN-04. They are computed here, so that no server confirms its own bytes. */
import { createHash } from 'node:crypto';

/** Start value of Marsaglia's generator. */
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

/** Returns the SHA-256 in hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
