/**
 * Runs the writing thread: stores groups, and takes steps of deletions between them. First it takes the lock, opens the
 * file and creates its schema. It answers first and checkpoints afterwards.
 *
 * The other half is `writer`. Invariants: no answer before the commit (rule ING-08), and no checkpoint between a
 * commit and its answer (rule STO-04). Over 250 lines because it has a branch for each message.
 */
import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { nowMs } from '../clock.ts';
import { TUNING } from '../contract.ts';
import { sharedNowMs } from '../meters.ts';
import type { Prices } from '../prices.ts';
import { QUERIES } from '../queries.ts';
import { AttachmentFiles, diskBytes } from './attachment-files.ts';
import { type Attached, type Attachment, AttachmentWriter, folderOwner } from './attachments.ts';
import { Checkpointer } from './checkpoint.ts';
import { bindCluster, type ClusterStream } from './cluster.ts';
import { type ClusterChange, isAsked } from './cluster-change.ts';
import {
  type Connection,
  type ConnectionOptions,
  checkEmpty,
  checkFile,
  checkSqlite,
  compileOptions,
  openWriter,
  recoverJournal,
  reportedPragmas,
  unusable,
} from './connection.ts';
import type { Content } from './deletions.ts';
import { EventWriter } from './events.ts';
import { fileCode, type StoreCode, sqliteCode, storeCode } from './failure.ts';
import { ForwardCursor } from './forwarding.ts';
import { Lock } from './lock.ts';
import { countFrames, lostFrames } from './log-tail.ts';
import { Memories } from './memories.ts';
import { checkLinks } from './path.ts';
import { Retention } from './retention.ts';
import { createDatabase, createSchema } from './schema.ts';
import { Sealing } from './sealing.ts';
import { submissionsIn } from './submission.ts';
import type { AttachFailure, FromWriter, Opened, ToWriter, Warning, WriterData } from './writer-messages.ts';

/** Runs the thread: opens the requested file, then stores groups. */
export function runWriter(port: MessagePort, data: WriterData): void {
  port.once('message', (message: ToWriter) => {
    if (message.kind !== 'open') throw new Error(`a ${message.kind} before the file is open`);
    const { prices, forward, cluster } = message;
    const cursor = forward && new ForwardCursor(forward.url, forward.memory);
    openAndWrite(port, message, prices, cursor, cluster, new URL(data.entry));
  });
}

function openAndWrite(
  port: MessagePort,
  options: ConnectionOptions,
  prices: Prices | undefined,
  cursor: ForwardCursor | undefined,
  cluster: ClusterStream | undefined,
  entry: URL,
): void {
  const send = (message: FromWriter, moved: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...moved]);
  let lock: Lock | undefined;
  let db: Connection;
  let events: EventWriter;
  let attachments: AttachmentWriter;
  let retention: Retention;
  let sealing: Sealing;
  const memories = new Memories();
  try {
    checkLinks(options.path);
    checkEmpty(options.path);
    lock = Lock.acquire(options.path, options.nativeBinding);
    const frames = countFrames(options.path);
    db = openFile(options);
    const lost = lostFrames(db, frames);
    events = new EventWriter(db, prices);
    const place = bindCluster(db, options.path, events.newest, cluster);
    const owner = folderOwner(db);
    const files = new AttachmentFiles(options.path, options.durability);
    const other = files.claim(owner);
    const warn = (facts: Warning['facts'], text: string): void => send({ kind: 'warning', facts, text });
    attachments = new AttachmentWriter(db, files, warn);
    cursor?.load(db);
    retention = new Retention(db, events, attachments, cursor);
    sealing = new Sealing(db);
    const [attachmentBytes, newer] = attachments.sweepAttachments(owner);
    send({
      kind: 'opened',
      ...describe(db, options.path, events),
      wasUnclean: frames > 0,
      lostFrames: lost,
      attachmentBytes,
      owner: { id: owner.id, token: owner.token },
      movedAside: [other, newer].filter((moved) => moved !== undefined),
      place,
    });
  } catch (error) {
    lock?.release();
    const { exit, message } = unusable(error, options.path);
    send({ kind: 'unusable', exit, message });
    return;
  }

  // Loading early saves the first write a wait. That write reports a failure again.
  attempt(send, () => events.load());
  const checkpointer = new Checkpointer(db, options, entry, {
    onCheckpoint: (checkpoint, durationMs) => send({ kind: 'checkpoint', checkpoint, durationMs }),
    onFailure: (code, reason) => send({ kind: 'unwell', code, reason }),
  });
  const attach = (attachment: Attachment): Attached | AttachFailure => {
    try {
      if (!checkpointer.admitsGroup()) return { code: 'storage_busy' };
      return attachments.insertAttachment(attachment, nowMs());
    } catch (error) {
      if (sqliteCode(error) === undefined) return { code: notKept(send, error) };
      // A failure of the database concerns all waiting requests.
      const code = storeCode(error);
      send({ kind: 'unwell', code, reason: reasonOf(error) });
      return { code };
    }
  };
  const deleteRows = (most: number): void => {
    try {
      if (checkpointer.admitsGroup()) {
        const progress = retention.step(nowMs(), most);
        if (progress !== undefined) send({ kind: 'progress', ...progress });
      } else {
        retention.fail('storage_busy');
      }
    } catch (error) {
      const code = storeCode(error);
      retention.fail(code);
      send({ kind: 'unwell', code, reason: reasonOf(error) });
    }
  };
  let isStepDue = false;
  let storedSinceStep = 0;
  /** Takes a step between messages, until no deletion is pending. */
  const deleteSoon = (): void => {
    if (isStepDue || !retention.hasWork) return;
    isStepDue = true;
    setImmediate(() => {
      isStepDue = false;
      // Twice as much as was stored, so that deletions keep up with every load.
      const most = TUNING.retention_step_events + 2 * storedSinceStep;
      storedSinceStep = 0;
      if (!db.open) return;
      // The removal of the files of a step may take several turns.
      if (!retention.hasRemovals) deleteRows(most);
      attempt(send, () => retention.removeFiles());
      // After the publication: a request that follows the answer must see the deletion.
      retention.answer();
      attempt(send, () => checkpointer.afterGroup());
      deleteSoon();
    });
  };
  /** Seals a block. The next step waits for a tick when it failed. */
  const seal = (): void => {
    try {
      // Readers that hold a long log need the rest of it for groups.
      const isShort = checkpointer.used < TUNING.checkpoint_restart_wal_bytes;
      if (isShort && checkpointer.admitsGroup()) sealing.step(events.newest);
      else sealing.defer();
    } catch (error) {
      sealing.defer();
      const code = storeCode(error);
      if (code === 'internal' || code === 'storage_corrupt') sealing.stop();
      send({ kind: 'unwell', code, reason: reasonOf(error) });
    }
    attempt(send, () => checkpointer.afterGroup());
  };
  let isSealingDue = false;
  /** Seals blocks between messages, until none is left. */
  const sealSoon = (): void => {
    if (isSealingDue || !sealing.hasWork) return;
    isSealingDue = true;
    const step = (): void => {
      isSealingDue = false;
      // The thread may be closing.
      if (!db.open || !sealing.hasWork) return;
      if (!checkpointer.isBusy) seal();
      sealSoon();
    };
    // A pass of the checkpointer comes first, so that the log stays short.
    if (checkpointer.isBusy) setTimeout(step, 1);
    else setImmediate(step);
  };
  port.on('message', (message: ToWriter) => {
    switch (message.kind) {
      case 'open':
        throw new Error('the file is open');
      case 'group':
        try {
          const { jobs, moved, news } = message;
          if (news !== undefined) memories.learn(news);
          if (!checkpointer.admitsGroup()) {
            send({ kind: 'refused', code: 'storage_busy' });
            break;
          }
          const memoryAt = (place: number): ArrayBufferLike =>
            place < 0 ? moved[-place - 1]! : memories.of(place);
          const startedMs = sharedNowMs();
          const { ids, stored, newest } = events.insertGroup(submissionsIn(jobs, memoryAt), nowMs());
          const idsToSend = stored === ids.length ? undefined : ids;
          const committedMs = sharedNowMs();
          const durationMs = committedMs - startedMs;
          const ignoredTimes = events.takeIgnoredTimes();
          send(
            { kind: 'stored', ids: idsToSend, stored, newest, ignoredTimes, durationMs, committedMs, moved },
            moved,
          );
          retention.noteGroup(stored);
          sealing.noteGroup(stored);
          storedSinceStep += stored;
        } catch (error) {
          send({ kind: 'failed', code: storeCode(error), reason: reasonOf(error) });
        }
        attempt(send, () => checkpointer.afterGroup());
        break;
      case 'apply': {
        const { number, jobs, moved, news, sequences, times, change, sequence } = message;
        const { changedAt, file } = message;
        try {
          if (news !== undefined) memories.learn(news);
          if (!checkpointer.admitsGroup()) {
            send({ kind: 'not_applied', number, code: 'storage_busy' });
            break;
          }
          const memoryAt = (place: number): ArrayBufferLike =>
            place < 0 ? moved[-place - 1]! : memories.of(place);
          if (change !== undefined) events.overwrite(isAsked(change));
          const startedMs = sharedNowMs();
          const [submission] = submissionsIn(jobs, memoryAt);
          const content = change?.kind === 'attach' ? contentOf(change) : undefined;
          if (content !== undefined) attachments.persist(file, content.sha256);
          const attachRow = (row: ClusterChange): Attached | undefined =>
            row.kind === 'attach'
              ? attachments.insertRow({ ...row, ...contentOf(row), mediaType: row.media_type }, changedAt)
              : undefined;
          const applied = events.applyGroup(submission, sequences, times, change, sequence, attachRow);
          const { step, attached, ...stored } = applied;
          sealing.noteGroup(stored.stored);
          const contents = step?.contents ?? [];
          const [unused, unusedBytes] = attachments.findUnused(contents);
          retention.removeLater(unused);
          let freedBytes = unusedBytes;
          if (content !== undefined && attached === 'first') freedBytes -= diskBytes(content.size);
          // Nothing has counted a content that has no row.
          if (content !== undefined && (attached === 'no_event' || attached === 'conflict'))
            retention.removeLater([content.sha256]);
          retention.removeFiles();
          const committedMs = sharedNowMs();
          const durationMs = committedMs - startedMs;
          const effect = { deleted: step?.events, attached, removed: contents.length, freedBytes };
          const ignoredTimes = events.takeIgnoredTimes();
          send(
            { kind: 'applied', number, ...stored, ...effect, ignoredTimes, durationMs, committedMs, moved },
            moved,
          );
        } catch (error) {
          if (sqliteCode(error) === undefined) {
            // A file that fails is no failure of the database.
            send({ kind: 'not_applied', number, code: notKept(send, error) });
            break;
          }
          const code = storeCode(error);
          send({ kind: 'unwell', code, reason: reasonOf(error) });
          send({ kind: 'not_applied', number, code });
        }
        attempt(send, () => checkpointer.afterGroup());
        break;
      }
      case 'attach': {
        const attached = attach(message.attachment);
        send({ kind: 'attached', number: message.number, attached });
        attempt(send, () => checkpointer.afterGroup());
        break;
      }
      case 'delete': {
        const { number } = message;
        retention.push(message.scope, (result) => send({ kind: 'deleted', number, result }));
        break;
      }
      case 'bounds':
        retention.setBounds(message.bounds);
        break;
      case 'tick':
        sealing.tick();
        attempt(send, () => {
          cursor?.save(db);
          retention.tick();
          if (!retention.vacuums) checkpointer.shrink();
        });
        break;
      case 'probe':
        send({ kind: 'probed', code: probe(db, events) });
        break;
      case 'close':
        sealing.defer();
        attempt(send, () => {
          while (retention.hasRemovals) retention.removeFiles();
          cursor?.save(db);
        });
        void close(checkpointer, db, lock, send);
        return;
    }
    deleteSoon();
    sealSoon();
  });
}

/**
 * Tries a write without effect, to find out whether writes work again; returns the code of the failure. It waits for no
 * other process, since requests wait for the writer meanwhile.
 */
function probe(db: Connection, events: EventWriter): StoreCode | undefined {
  const usual = Number(db.pragma('busy_timeout', { simple: true }));
  db.pragma('busy_timeout = 0');
  try {
    events.probe();
    return undefined;
  } catch (error) {
    return storeCode(error);
  } finally {
    db.pragma(`busy_timeout = ${usual}`);
  }
}

async function close(
  checkpointer: Checkpointer,
  db: Connection,
  lock: Lock,
  send: (message: FromWriter) => void,
): Promise<void> {
  try {
    await checkpointer.close();
  } catch (error) {
    send({ kind: 'unwell', code: storeCode(error), reason: reasonOf(error) });
  }
  db.close();
  lock.release();
  send({ kind: 'closed' });
}

/** Does work outside a group, whose error is also a storage failure (rule STO-06). */
function attempt(send: (message: FromWriter) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    send({ kind: 'unwell', code: storeCode(error), reason: reasonOf(error) });
  }
}

/** Reports that the folder did not take an attachment; returns the code. */
function notKept(send: (message: FromWriter) => void, error: unknown): StoreCode {
  // Node negates the number of the system.
  const { errno } = error as NodeJS.ErrnoException;
  const facts = { os: errno === undefined ? undefined : -errno };
  send({ kind: 'warning', facts, text: 'an attachment was not kept' });
  return fileCode(error);
}

function openFile(data: ConnectionOptions): Connection {
  createDatabase(data.path, data.nativeBinding);
  recoverJournal(data.path, data.nativeBinding);
  checkFile(data.path, data.nativeBinding, 'write');
  const db = openWriter(data);
  checkSqlite(db);
  createSchema(db);
  return db;
}

function describe(
  db: Connection,
  path: string,
  events: EventWriter,
): Omit<Opened, 'attachmentBytes' | 'lostFrames' | 'movedAside' | 'owner' | 'place' | 'wasUnclean'> {
  const { ino, dev } = statSync(path);
  return {
    epoch: String(db.prepare(QUERIES.selectEpoch).pluck().get()),
    newest: events.newest,
    lastDeletion: Number(db.prepare(QUERIES.selectLastDeletionId).pluck().get()),
    sqliteVersion: checkSqlite(db),
    compileOptions: compileOptions(db),
    pragmas: reportedPragmas(db),
    inode: ino,
    device: dev,
  };
}

/** Returns the content of the attachment that a change adds. */
function contentOf({ sha256, size }: { readonly sha256: string; readonly size: number }): Content {
  return { sha256: Buffer.from(sha256, 'hex'), size };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
