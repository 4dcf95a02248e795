/**
 * Builds request bodies from a pool in memory.
 *
 * Invariants: in addition to the pool, memory contains only the bodies that are being sent. A sender of many bodies
 * returns their memory for reuse, since a garbage collection would scan the pool.
 */
import { bytesOf, PLACE_WORDS, type Range, sizeOf, spansOf, writeBody } from './packed-pool.ts';
import type { Pool } from './pool.ts';

export type { Range };

/** Returns the body of a batch, ready to be sent. It uses the memory `free` if that is large enough. */
export function batchBody(pool: Pool, range: Range, free?: ArrayBuffer): Buffer {
  return bodyOf(pool, range, true, free);
}

/** Returns the body of a single event, ready to be sent. It uses the memory `free` if that is large enough. */
export function singleBody(pool: Pool, index: number, free?: ArrayBuffer): Buffer {
  return bodyOf(pool, { first: index, count: 1 }, false, free);
}

function bodyOf(pool: Pool, range: Range, isBatch: boolean, free: ArrayBuffer | undefined): Buffer {
  const pieces = spansOf(pool, range).map(({ first, within, count }) => {
    const places = pool.places.subarray(within * PLACE_WORDS, (within + count) * PLACE_WORDS);
    return { first, places, bytes: pool.bytes.subarray(...bytesOf(places)) };
  });
  const size = sizeOf(pieces, isBatch);
  // The size is a power of two, so that the memory is large enough for most later bodies.
  const memory = free && free.byteLength >= size ? free : new ArrayBuffer(2 ** Math.ceil(Math.log2(size)));
  const body = Buffer.from(memory, 0, size);
  writeBody(pool, pieces, isBatch, body);
  return body;
}
