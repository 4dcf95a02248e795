/**
 * Runs in the checkpointer's worker: moves the log into the database whenever the writer wakes it.
 *
 * The other half is `checkpoint`. Only server-ts has this file: threads of Node share no objects.
 */
import { fdatasyncSync, openSync, statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { TUNING } from '../contract.ts';
import { SYNC_FLAGS } from '../platform.ts';
import {
  type CheckpointerData,
  type FromCheckpointer,
  type OnCheckpoint,
  readLog,
  runCheckpoint,
} from './checkpoint.ts';
import { type Connection, openConnection } from './connection.ts';
import { storeCode } from './failure.ts';

/** Largest number of passes over the log per wake-up. The writer appends less during each further pass. */
const PASSES = 4;

/** Runs the thread: copies the log each time the writer wakes it. */
export function runCheckpointer(port: MessagePort, data: CheckpointerData): void {
  const send = (message: FromCheckpointer): void => port.postMessage(message);
  const onCheckpoint: OnCheckpoint = (checkpoint, durationMs) => {
    send({ kind: 'checkpoint', checkpoint, durationMs });
  };
  let opened: { readonly db: Connection; readonly database: number } | undefined;
  port.on('message', (message: 'pass' | 'close') => {
    if (message === 'close') {
      opened?.db.close();
      send({ kind: 'closed' });
      return;
    }
    try {
      if (opened === undefined) {
        if (!isSameFile(data)) {
          send({ kind: 'failed', code: 'storage_lost', reason: 'the file was deleted or replaced' });
          return;
        }
        // Stays open until the process ends (<https://sqlite.org/howtocorrupt.html>, section 2.2).
        opened = { db: openConnection(data), database: openSync(data.path, SYNC_FLAGS) };
      }
      pass(opened.db, opened.database, onCheckpoint);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      send({ kind: 'failed', code: storeCode(error), reason });
    }
    Atomics.store(data.busy, 0, 0);
    Atomics.notify(data.busy, 0);
  });
}

/** Returns whether the path still names the file of the writer. */
function isSameFile({ path, device, inode }: CheckpointerData): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.dev === device && found.ino === inode;
}

/**
 * Copies the log until little is left, and syncs the database. For a long log it repeats the pass, so that the writer
 * can restart the log.
 */
function pass(db: Connection, database: number, onCheckpoint: OnCheckpoint): void {
  let [rest, used] = [Number.POSITIVE_INFINITY, 0];
  for (let count = 0; count < PASSES; count++) {
    runCheckpoint(db, 'checkpointer', 'PASSIVE', onCheckpoint);
    // A pass reports the log as of its start; only this call sees the pages that the writer has appended since.
    const log = readLog(db, 'NOOP');
    const isHeld = log.rest >= rest;
    [rest, used] = [log.rest, log.used];
    if (rest <= TUNING.checkpoint_pass_rest_bytes || isHeld) break;
  }
  // The last pass copied the whole log, so it has already synced the database.
  if (rest === 0) return;
  fdatasyncSync(database);
  if (used >= TUNING.checkpoint_finish_wal_bytes) runCheckpoint(db, 'checkpointer', 'PASSIVE', onCheckpoint);
}
