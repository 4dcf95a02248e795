/**
 * Builds request bodies from a pool in memory. Besides the pool, memory contains only the bodies that are being sent.
 */
import { bytesOf, PLACE_WORDS, type Range, sizeOf, spansOf, writeBody } from './packed-pool.ts';
import type { Pool } from './pool.ts';

export type { Range };

export function batchBody(pool: Pool, range: Range): Buffer {
  return bodyOf(pool, range, true);
}

export function singleBody(pool: Pool, index: number): Buffer {
  return bodyOf(pool, { first: index, count: 1 }, false);
}

function bodyOf(pool: Pool, range: Range, isBatch: boolean): Buffer {
  const pieces = spansOf(pool, range).map(({ first, within, count }) => {
    const places = pool.places.subarray(within * PLACE_WORDS, (within + count) * PLACE_WORDS);
    return { first, places, bytes: pool.bytes.subarray(...bytesOf(places)) };
  });
  const body = Buffer.allocUnsafe(sizeOf(pieces, isBatch));
  writeBody(pool, pieces, isBatch, body);
  return body;
}
