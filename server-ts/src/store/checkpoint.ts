/**
 * Moves the write-ahead log into the database, on a thread next to the writer (rule STO-04).
 *
 * The thread copies pages while the writer appends (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>, PASSIVE), and
 * syncs the database itself. SQLite syncs only in a pass that copies the whole log. Under load that is the writer's
 * pass, so every client would wait for it. With this thread the writer copies only a small rest after an answer, and
 * the log restarts. Invariant: the log is bounded, and an error of either thread is a storage failure. Over 250 lines
 * because the writer's half and the thread's half share the facts about the log.
 */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { TUNING } from '../contract.ts';
import type { Connection, ConnectionOptions, Statement } from './connection.ts';
import type { StoreCode } from './failure.ts';

/** Start parameters of the thread, which starts when it is first needed. */
export interface CheckpointerData extends ConnectionOptions {
  readonly role: 'checkpointer';
  /** One number: 1 during the thread's pass over the log. Shared, since the writer does not wait for messages. */
  readonly busy: Int32Array;
  /** The file that the writer has open. The thread opens no other, since it would mix two databases (rule STO-06). */
  readonly device: number;
  readonly inode: number;
}

type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE';

/** One checkpoint, as in the server's log. */
export interface Checkpoint {
  readonly thread: 'writer' | 'checkpointer';
  readonly mode: Mode;
  /** Number of pages in the log. */
  readonly pages: number;
  /** Number of these pages that are also in the database. */
  readonly copied: number;
  /** Number of pages that this checkpoint copied. */
  readonly moved: number;
  readonly ms: number;
}
export type OnCheckpoint = (checkpoint: Checkpoint, durationMs: number) => void;

/** A message of the thread: a finished checkpoint, or the reason of a failure. */
export type FromCheckpointer =
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string }
  | { readonly kind: 'closed' };

interface CheckpointerEvents {
  onCheckpoint(checkpoint: Checkpoint, durationMs: number): void;
  onFailure(code: StoreCode, reason: string): void;
}

/** Use of the log, in bytes. */
interface Log {
  /** Whether a reader or another checkpoint blocked the checkpoint. */
  readonly isBusy: boolean;
  readonly used: number;
  /** Bytes that are not in the database yet. */
  readonly rest: number;
}

/** SQLite's default page size, which the schema does not change. */
const PAGE_BYTES = 4096;

/** The writer's handle of the thread; the other half is `checkpoint-thread`. */
export class Checkpointer {
  private readonly db: Connection;
  /** Reads how much of the log is in use, and copies nothing. Runs after every group, so it is prepared once. */
  private readonly look: Statement;
  private readonly entry: URL;
  private readonly data: CheckpointerData;
  private readonly events: CheckpointerEvents;
  private worker: Worker | undefined;
  private closed: (() => void) | undefined;
  /** Log length that wakes the thread; larger while readers hold the start of the log. */
  private due = TUNING.checkpoint_wal_bytes;
  /** Bytes of the log that are in use, as of the last group. */
  used = 0;
  /** Earliest time of the next checkpoint that waits for readers, by `performance.now()`. */
  private restartAfterMs = 0;
  private isRefusing = false;

  /** `db` is the writer's connection; the thread starts from `entry` when it is first needed. */
  constructor(db: Connection, options: ConnectionOptions, entry: URL, events: CheckpointerEvents) {
    this.db = db;
    this.look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.entry = entry;
    const { path, durability, nativeBinding } = options;
    const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const { dev: device, ino: inode } = statSync(path);
    this.data = { role: 'checkpointer', path, durability, nativeBinding, busy, device, inode };
    this.events = events;
  }

  /** Returns whether a group may be written: `false` while readers pin more of the log than allowed (rule STO-04). */
  admitsGroup(): boolean {
    const isShort = this.used < TUNING.checkpoint_most_wal_bytes;
    if (!isShort) this.finishPass();
    const isAdmitted = isShort || this.restart();
    if (!isAdmitted && !this.isRefusing) {
      this.events.onFailure('storage_busy', 'readers hold the write-ahead log');
    }
    this.isRefusing = !isAdmitted;
    return isAdmitted;
  }

  /**
   * Runs after the answers to a group. It wakes the thread when the log is long, and restarts the log when little is
   * left of it. At intervals it waits for readers, so that the log does not grow without bound. Throws SQLite's errors.
   */
  afterGroup(): void {
    const log = logOf(this.look.get());
    if (log.used < this.used) this.due = TUNING.checkpoint_wal_bytes;
    this.used = log.used;
    if (log.used >= TUNING.checkpoint_restart_wal_bytes) {
      this.restart();
      return;
    }
    const isLong = log.used >= TUNING.checkpoint_finish_wal_bytes;
    if (log.rest === 0 || (log.used < this.due && !isLong)) return;
    if (this.isBusy) return;
    this.due = log.used + TUNING.checkpoint_wal_bytes;
    if (isLong && log.rest <= log.used / TUNING.checkpoint_finish_rest_share) this.run('PASSIVE');
    else this.wake();
  }

  /** Returns whether the thread copies the log. */
  get isBusy(): boolean {
    return Atomics.load(this.data.busy, 0) === 1;
  }

  /**
   * Copies the rest of the log, which also removes the vacuumed pages from the file. Does nothing when the file has no
   * more pages than it needs. Throws SQLite's errors.
   */
  shrink(): void {
    const pages = Number(this.db.pragma('page_count', { simple: true }));
    const { size } = statSync(this.data.path);
    if (size > pages * PAGE_BYTES && !this.isBusy) this.run('PASSIVE');
  }

  /**
   * Ends the thread, then removes the log. A reader of another program may hold it; then the log stays. Throws SQLite's
   * errors.
   */
  async close(): Promise<void> {
    const { worker } = this;
    if (worker !== undefined) {
      await new Promise<void>((resolve) => {
        this.closed = resolve;
        worker.postMessage('close');
      });
      await worker.terminate();
    }
    this.db.pragma(`busy_timeout = ${TUNING.checkpoint_restart_wait_ms}`);
    const { isBusy } = this.run('TRUNCATE');
    if (isBusy) this.events.onFailure('storage_busy', 'readers hold the write-ahead log');
  }

  /**
   * Waits for a pass of the thread that is slower than the writer. After it the log can restart at once, unless readers
   * hold it.
   */
  private finishPass(): void {
    const result = Atomics.wait(this.data.busy, 0, 1, TUNING.checkpoint_pass_wait_ms);
    if (result !== 'not-equal') this.restartAfterMs = 0;
  }

  /**
   * Waits briefly for readers, so that the log restarts with the next group; returns whether it does. Retries only
   * after a pause: a reader that stays would delay every group.
   */
  private restart(): boolean {
    if (performance.now() < this.restartAfterMs) return false;
    const usual = Number(this.db.pragma('busy_timeout', { simple: true }));
    this.db.pragma(`busy_timeout = ${TUNING.checkpoint_restart_wait_ms}`);
    try {
      return !this.run('RESTART').isBusy;
    } finally {
      this.db.pragma(`busy_timeout = ${usual}`);
      this.restartAfterMs = performance.now() + TUNING.checkpoint_restart_interval_ms;
    }
  }

  private run(mode: Mode): Log {
    return runCheckpoint(this.db, 'writer', mode, (checkpoint, durationMs) => {
      this.events.onCheckpoint(checkpoint, durationMs);
    });
  }

  private wake(): void {
    Atomics.store(this.data.busy, 0, 1);
    this.worker ??= this.start();
    this.worker.postMessage('pass');
  }

  private start(): Worker {
    const worker = new Worker(this.entry, {
      workerData: this.data,
      resourceLimits: { maxYoungGenerationSizeMb: 1 },
      // The thread's descriptor of the database must stay open: closing it would drop this process's POSIX locks.
      trackUnmanagedFds: false,
    });
    worker.on('message', (message: FromCheckpointer) => {
      if (message.kind === 'failed') this.events.onFailure(message.code, message.reason);
      else if (message.kind === 'checkpoint')
        this.events.onCheckpoint(message.checkpoint, message.durationMs);
      else this.closed?.();
    });
    worker.on('error', (error) => {
      // The thread has ended; the writer starts another one when it needs one.
      this.worker = undefined;
      Atomics.store(this.data.busy, 0, 0);
      this.events.onFailure('internal', error.message);
      this.closed?.();
    });
    return worker;
  }
}

/** Runs a checkpoint and reports it. */
export function runCheckpoint(
  db: Connection,
  thread: Checkpoint['thread'],
  mode: Mode,
  onCheckpoint: OnCheckpoint,
): Log {
  const before = readLog(db, 'NOOP');
  const startedMs = performance.now();
  const after = readLog(db, mode);
  const durationMs = performance.now() - startedMs;
  const ms = Math.floor(durationMs);
  const [pages, copied] = [after.used / PAGE_BYTES, (after.used - after.rest) / PAGE_BYTES];
  const moved =
    pages === 0 ? before.rest / PAGE_BYTES : Math.max(copied - (before.used - before.rest) / PAGE_BYTES, 0);
  onCheckpoint({ thread, mode, pages, copied, moved, ms }, durationMs);
  return after;
}

/**
 * Returns the use of the log after a checkpoint of this mode
 * (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>); `NOOP` copies nothing. The log file keeps its size when
 * the log restarts, so SQLite reports the part in use.
 */
export function readLog(db: Connection, mode: Mode | 'NOOP'): Log {
  return logOf(db.prepare(`PRAGMA wal_checkpoint(${mode})`).get());
}

/** Returns the one row of `wal_checkpoint`, whose pages are -1 when there is no log. */
function logOf(row: unknown): Log {
  const { busy, log, checkpointed } = row as Readonly<Record<'busy' | 'log' | 'checkpointed', number>>;
  const pages = Math.max(log, 0);
  const rest = (pages - Math.max(checkpointed, 0)) * PAGE_BYTES;
  return { isBusy: busy !== 0, used: pages * PAGE_BYTES, rest };
}
