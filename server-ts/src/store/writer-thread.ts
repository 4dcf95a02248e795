/**
 * The one thread that writes: lock, file, schema, then groups; it answers first and checkpoints afterwards.
 *
 * The other half is `writer`. What must stay true: no answer before the commit (rule ING-08), and no checkpoint
 * between a commit and its answer (rule STO-04). Only this side has this file: threads of Node share nothing.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { nowMs } from '../clock.ts';
import { LIMITS, QUERIES } from '../contract.ts';
import {
  type Connection,
  type ConnectionOptions,
  checkFile,
  checkSqlite,
  compileOptions,
  migrate,
  openConnection,
  reportedPragmas,
  unusable,
} from './connection.ts';
import { Events } from './events.ts';
import { storeCode } from './failure.ts';
import { toJob } from './job.ts';
import { Lock } from './lock.ts';
import type { FromWriter, Opened, ToWriter } from './writer.ts';

/** The thread: opens the file that it is told, then writes what it is told. */
export function runWriter(port: MessagePort): void {
  port.once('message', (message: ToWriter) => {
    if (message.kind !== 'open') throw new Error(`a ${message.kind} before the file is open`);
    openAndWrite(port, message);
  });
}

function openAndWrite(port: MessagePort, options: ConnectionOptions): void {
  const send = (message: FromWriter, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  let lock: Lock | undefined;
  let db: Connection;
  let events: Events;
  try {
    lock = Lock.acquire(options.path, options.nativeBinding);
    db = openFile(options);
    events = new Events(db);
    send({ kind: 'opened', ...describe(db, options.path, events) });
  } catch (error) {
    lock?.release();
    send({ kind: 'unusable', message: unusable(error, options.path).message });
    return;
  }

  const checkpoint = new Checkpoint(db);
  port.on('message', (message: ToWriter) => {
    switch (message.kind) {
      case 'open':
        throw new Error('the file is open');
      case 'group':
        try {
          const stored = events.insertGroup(message.jobs.map(toJob), nowMs());
          const used = message.jobs.flatMap(({ body, tables }) => [body.buffer as ArrayBuffer, tables]);
          send({ kind: 'stored', ...stored, used }, [stored.ids.buffer as ArrayBuffer, ...used]);
        } catch (error) {
          send({ kind: 'failed', code: storeCode(error), reason: reasonOf(error) });
        }
        attempt(send, () => checkpoint.afterGroup());
        break;
      case 'probe':
        try {
          events.probe();
          send({ kind: 'probed', code: undefined });
        } catch (error) {
          send({ kind: 'probed', code: storeCode(error) });
        }
        break;
      case 'close':
        attempt(send, () => checkpoint.truncate());
        db.close();
        lock.release();
        send({ kind: 'closed' });
        break;
    }
  });
}

/** A checkpoint's error is a failure of the storage, whoever noticed it (rule STO-06). */
function attempt(send: (message: FromWriter) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    send({ kind: 'checkpointed', code: storeCode(error), reason: reasonOf(error) });
  }
}

function openFile(data: ConnectionOptions): Connection {
  checkFile(data.path, data.nativeBinding);
  // For its owner alone; SQLite gives the files beside it the same mode (rule STO-09).
  closeSync(openSync(data.path, 'a', 0o600));
  const db = openConnection(data);
  checkSqlite(db);
  migrate(db);
  return db;
}

function describe(db: Connection, path: string, events: Events): Opened {
  const { ino, dev } = statSync(path);
  return {
    epoch: String(db.prepare(QUERIES.selectEpoch).pluck().get()),
    newest: events.newest,
    sqliteVersion: checkSqlite(db),
    compileOptions: compileOptions(db),
    pragmas: reportedPragmas(db),
    inode: ino,
    device: dev,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Moves the write-ahead log into the database once it is long (rule STO-04). */
export class Checkpoint {
  private readonly db: Connection;
  private readonly pageSize: number;

  constructor(db: Connection) {
    this.db = db;
    this.pageSize = Number(db.pragma('page_size', { simple: true }));
  }

  /**
   * The log's file keeps its size when it begins anew, so it is SQLite that is asked how much of it is in use.
   * Where readers hold its beginning it is waited for them, before it grows without end.
   */
  afterGroup(): void {
    const used = this.run('NOOP') * this.pageSize;
    if (used >= 2 * LIMITS.checkpoint_wal_bytes) this.run('RESTART');
    else if (used >= LIMITS.checkpoint_wal_bytes) this.run('PASSIVE');
  }

  /** Leaves no log behind (rule STO-04). */
  truncate(): void {
    this.run('TRUNCATE');
  }

  /** The pages in the log. */
  private run(mode: 'NOOP' | 'PASSIVE' | 'RESTART' | 'TRUNCATE'): number {
    const [row] = this.db.pragma(`wal_checkpoint(${mode})`) as { log: number }[];
    if (row === undefined) throw new Error('wal_checkpoint answered nothing');
    return row.log;
  }
}
