/**
 * Finds frames of the write-ahead log that SQLite does not recover (rule STO-12).
 *
 * The format is that of <https://sqlite.org/fileformat2.html#walformat>: a header of 32 bytes, then frames of 24 bytes
 * and a page. A frame belongs to the current log when it has the salt of the header.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Connection } from './connection.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Returns the number of frames in the log of the database at `path`, also of incomplete ones; 0 without a log. Call it
 * before SQLite opens the database.
 */
export function countFrames(path: string): number {
  let log: number | undefined;
  try {
    log = openSync(`${path}-wal`, 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(log, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return 0;
    const page = header.readUInt32BE(8);
    const salt = header.subarray(16, 24);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    let frames = 0;
    for (let at = HEADER_BYTES; ; at += FRAME_HEADER_BYTES + page) {
      if (readSync(log, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) return frames;
      if (!frame.subarray(8, 16).equals(salt)) return frames;
      frames++;
    }
  } catch {
    // No log, or one that SQLite reports; a start must not fail because of a report.
    return 0;
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** Returns how many of the frames SQLite did not recover: their transaction has no end, or they are damaged. */
export function lostFrames(db: Connection, frames: number): number {
  const { log } = db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number };
  return Math.max(0, frames - Math.max(0, log));
}
