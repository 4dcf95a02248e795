/**
 * Writes a file of groups: one batch body per line, with the events that a round would send.
 *
 * Both programs read the same file, so that they store the same bytes. A body contains no line feed, since the lines of
 * the pool contain none.
 */
import { open } from 'node:fs/promises';
import { batchBody } from '../load/bodies.ts';
import type { Pool } from '../load/pool.ts';

const LINE_FEED = Buffer.from('\n');

/**
 * Writes the first `events` events of the pool's sequence, `groupEvents` per line. Only one body is in memory at a
 * time.
 */
export async function writeGroups(
  file: string,
  pool: Pool,
  events: number,
  groupEvents: number,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for (let first = 0; first < events; first += groupEvents) {
      signal.throwIfAborted();
      const count = Math.min(groupEvents, events - first);
      await handle.writev([batchBody(pool, { first, count }), LINE_FEED]);
    }
    // Without this, the system would write the file to disk while the first program is measured.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
