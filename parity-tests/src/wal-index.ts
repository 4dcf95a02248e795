/**
 * What the wal-index says of a checkpoint (<https://sqlite.org/walformat.html>, "WAL-Index File Format").
 *
 * Looked at from outside while a server works, and after it was killed: the file stays as it was.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** Behind two copies of the header of 48 bytes: frames that are in the database … */
const BACKFILL_AT = 96;
/** … and, behind five read marks and eight bytes of locks, frames that a checkpoint has set out to copy. */
const BACKFILL_ATTEMPTED_AT = 128;

/** Whether a checkpoint has begun to write to the database and has not ended. */
export function isCheckpointUnderWay(shmFile: string): boolean {
  const head = Buffer.alloc(BACKFILL_ATTEMPTED_AT + 4);
  const file = openSync(shmFile, 'r');
  try {
    if (readSync(file, head, 0, head.length, 0) < head.length) return false;
  } finally {
    closeSync(file);
  }
  // In the byte order of the machine, which is the one that this runs on.
  const words = new Uint32Array(head.buffer, head.byteOffset, head.length / 4);
  return words[BACKFILL_ATTEMPTED_AT / 4]! > words[BACKFILL_AT / 4]!;
}
