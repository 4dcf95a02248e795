/**
 * Writes a pool into the two files that `k6/bodies.ts` reads: the bytes of the events, and the positions of their ids.
 *
 * Invariant: the order of the words is that of `k6/bodies.ts`. Both sides run on one machine, so the words have its
 * byte order.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLACE_WORDS, type SharedPool } from '../../../k6/bodies.ts';
import type { Pool } from '../pool.ts';

export interface PoolFilePaths {
  readonly places_file: string;
  readonly bytes_file: string;
}

const COMMA = Buffer.from(',');

export async function writePoolFiles(pool: Pool, folder: string): Promise<PoolFilePaths> {
  const places = new Uint32Array(pool.templates.length * PLACE_WORDS);
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [i, template] of pool.templates.entries()) {
    const { bytes, idAt, sessionAt, session } = template;
    // The position of the id counts from 1, since 0 means that the event has no id.
    places.set([offset, bytes.length, idAt + 1, sessionAt, session], i * PLACE_WORDS);
    if (i > 0) parts.push(COMMA);
    parts.push(bytes);
    offset += bytes.length + COMMA.length;
  }
  const paths = { places_file: join(folder, 'pool-places.bin'), bytes_file: join(folder, 'pool-bytes.bin') };
  await writeFile(paths.places_file, places);
  await writeFile(paths.bytes_file, Buffer.concat(parts));
  return paths;
}

export function sharedPool(pool: Pool): SharedPool {
  return { events: pool.templates.length, sessions: pool.sessions, seed: pool.seed, ids: pool.ids };
}
