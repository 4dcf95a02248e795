/**
 * Reads the state of a checkpoint from the wal-index (<https://sqlite.org/walformat.html>, "WAL-Index File Format").
 *
 * Reads the file while a server works, and after a kill; does not change it.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** Offset of the number of frames that are in the database. It follows two copies of the header of 48 bytes. */
const BACKFILL_AT = 96;
/**
 * Offset of the number of frames that a checkpoint has started to copy. It follows five read marks and eight bytes of
 * locks.
 */
const BACKFILL_ATTEMPTED_AT = 128;

/** Returns whether a checkpoint is writing to the database. */
export function isCheckpointUnderWay(shmFile: string): boolean {
  const head = Buffer.alloc(BACKFILL_ATTEMPTED_AT + 4);
  const file = openSync(shmFile, 'r');
  try {
    if (readSync(file, head, 0, head.length, 0) < head.length) return false;
  } finally {
    closeSync(file);
  }
  // The words have the byte order of this machine.
  const words = new Uint32Array(head.buffer, head.byteOffset, head.length / 4);
  return words[BACKFILL_ATTEMPTED_AT / 4]! > words[BACKFILL_AT / 4]!;
}
