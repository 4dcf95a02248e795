/**
 * Moves the write-ahead log into the database, beside the writer (rule STO-04).
 *
 * A thread with a connection of its own copies pages while the writer appends to the log
 * (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>, PASSIVE). Where the writer never rests, the log never is whole
 * at once; then the writer copies the last few pages itself, after an answer, so that the log begins anew.
 * What must stay true: the log is bounded; an error of either is a failure of the storage.
 */
import { type MessagePort, Worker } from 'node:worker_threads';
import { LIMITS } from '../contract.ts';
import { type Connection, type ConnectionOptions, openConnection, type Statement } from './connection.ts';
import { type StoreCode, storeCode } from './failure.ts';

/** What the thread is started with, when it is first needed. */
export interface CheckpointerData extends ConnectionOptions {
  readonly role: 'checkpointer';
  /** One number: 1 while the thread goes over the log. Shared, since the writer does not wait for messages. */
  readonly busy: Int32Array;
}

/** What the thread says: why it could not go over the log. */
export type FromCheckpointer =
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string }
  | { readonly kind: 'closed' };

export type OnFailure = (code: StoreCode, reason: string) => void;

/** How full the log is, in bytes. */
interface Log {
  readonly used: number;
  /** Not yet in the database. */
  readonly rest: number;
}

/** SQLite's default page, which the first migration leaves as it is. */
const PAGE_BYTES = 4096;
/** How often the thread goes over the log before it leaves the rest for later: each time less has come meanwhile. */
const PASSES = 4;

/** The handle of the thread, held by the writer. */
export class Checkpointer {
  private readonly db: Connection;
  /** Looks at the log and moves nothing. Asked after every group, so it is prepared once. */
  private readonly look: Statement;
  private readonly entry: URL;
  private readonly data: CheckpointerData;
  private readonly onFailure: OnFailure;
  private worker: Worker | undefined;
  private closed: (() => void) | undefined;
  /** The thread is woken when the log is this long; more than at first while readers hold its beginning. */
  private due = LIMITS.checkpoint_wal_bytes;
  private used = 0;

  /** `db` is the writer's; the thread starts from `entry` when it is first needed. */
  constructor(db: Connection, options: ConnectionOptions, entry: URL, onFailure: OnFailure) {
    this.db = db;
    this.look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.entry = entry;
    const { path, durability, nativeBinding } = options;
    const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.data = { role: 'checkpointer', path, durability, nativeBinding, busy };
    this.onFailure = onFailure;
  }

  /**
   * After a group was answered: wakes the thread when the log is long, ends the log's turn when little is left of it,
   * and waits for readers before it grows without end. Throws what SQLite says.
   */
  afterGroup(): void {
    const log = logOf(this.look.get());
    if (log.used < this.used) this.due = LIMITS.checkpoint_wal_bytes;
    this.used = log.used;
    if (log.used >= LIMITS.checkpoint_restart_wal_bytes) {
      runCheckpoint(this.db, 'RESTART');
      return;
    }
    const isLong = log.used >= LIMITS.checkpoint_finish_wal_bytes;
    if (log.rest === 0 || (log.used < this.due && !isLong)) return;
    if (Atomics.load(this.data.busy, 0) === 1) return;
    this.due = log.used + LIMITS.checkpoint_wal_bytes;
    if (isLong && log.rest <= LIMITS.checkpoint_finish_rest_bytes) runCheckpoint(this.db, 'PASSIVE');
    else this.wake();
  }

  /** Ends the thread, and then leaves no log behind. Throws what SQLite says. */
  async close(): Promise<void> {
    const { worker } = this;
    if (worker !== undefined) {
      await new Promise<void>((resolve) => {
        this.closed = resolve;
        worker.postMessage('close');
      });
      await worker.terminate();
    }
    runCheckpoint(this.db, 'TRUNCATE');
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
    });
    worker.on('message', (message: FromCheckpointer) => {
      if (message.kind === 'failed') this.onFailure(message.code, message.reason);
      else if (message.kind === 'closed') this.closed?.();
    });
    worker.on('error', (error) => {
      // Nobody answers any more; the next time that it is needed another is started.
      this.worker = undefined;
      Atomics.store(this.data.busy, 0, 0);
      this.onFailure('internal', error.message);
      this.closed?.();
    });
    return worker;
  }
}

/** The thread: goes over the log whenever it is told to. */
export function runCheckpointer(port: MessagePort, data: CheckpointerData): void {
  let db: Connection | undefined;
  port.on('message', (message: 'pass' | 'close') => {
    if (message === 'close') {
      db?.close();
      port.postMessage({ kind: 'closed' } satisfies FromCheckpointer);
      return;
    }
    try {
      db ??= openConnection(data);
      pass(db);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      port.postMessage({ kind: 'failed', code: storeCode(error), reason } satisfies FromCheckpointer);
    }
    Atomics.store(data.busy, 0, 0);
  });
}

/** Goes over the log until nothing is left of it, or the writer is faster. */
function pass(db: Connection): void {
  for (let count = 0; count < PASSES; count++) if (runCheckpoint(db, 'PASSIVE').rest === 0) return;
}

/**
 * A checkpoint (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>), and how full the log is behind it. The log's
 * file keeps its size when it begins anew, so it is SQLite that is asked how much of it is in use.
 */
function runCheckpoint(db: Connection, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Log {
  return logOf(db.prepare(`PRAGMA wal_checkpoint(${mode})`).get());
}

/** Of the one row that `wal_checkpoint` answers, whose pages are -1 where there is no log. */
function logOf(row: unknown): Log {
  const { log, checkpointed } = row as { readonly log: number; readonly checkpointed: number };
  const pages = Math.max(log, 0);
  return { used: pages * PAGE_BYTES, rest: (pages - Math.max(checkpointed, 0)) * PAGE_BYTES };
}
