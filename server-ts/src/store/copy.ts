/**
 * Copies a database with its attachments, also while a server uses it (rules BAK-01 to BAK-03).
 *
 * Invariant: the target has its name only when it is whole and synced. Until then it is `FILE.partial`, and the state of
 * its folder says so. The next copy replaces both, and a copy that fails removes both.
 */
import { closeSync, fstatSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Digest } from '../digest.ts';
import { SYNC_FLAGS, SYNCS_FOLDERS } from '../platform.ts';
import { QUERIES } from '../queries.ts';
import { AttachmentFiles } from './attachment-files.ts';
import { folderOwner } from './attachments.ts';
import { sequenceOf } from './cluster.ts';
import {
  type Connection,
  checkDatabase,
  checkSqlite,
  inOrder,
  OpenError,
  openRaw,
  openUnchanged,
  unusable,
} from './connection.ts';
import { fileCode, type StoreCode, sqliteCode, storeCode } from './failure.ts';
import { checkFilesBeside } from './path.ts';
import { addSealedTextFunctions } from './sealed-texts.ts';
import { addWholeTextFunctions } from './whole-texts.ts';

/**
 * Whether clients may continue on the copy where they were on the original. `kept`: the copy is a backup; no server
 * gives out ids of it. `new`: a server will give out ids that the original may give to other events (rule BAK-02).
 */
export type Epoch = 'kept' | 'new';

/** A finished copy. */
export interface Copied {
  /** Size of the database file. */
  readonly bytes: number;
  /** The newest id that was ever assigned. */
  readonly newestId: number;
  /** Number of contents that were copied. */
  readonly attachments: number;
  /** The newest sequence of the stream that the database is a copy of; `undefined` without a stream. */
  readonly sequence: number | undefined;
  /** The new path of another folder of attachments that was in the place of the target's. */
  readonly moved: string | undefined;
}

/** The reason why there is no copy: the target exists, or reading or writing failed. */
export class CopyError extends Error {
  readonly code: StoreCode | 'exists';

  constructor(code: StoreCode | 'exists') {
    super(code);
    this.name = 'CopyError';
    this.code = code;
  }
}

/**
 * Copies the database at `source` to `target`, which must not exist. Blocks. Throws an `OpenError` for an unusable
 * source, else a `CopyError`.
 *
 * One read transaction makes the copy, so the source's log grows until it ends. A content that a deletion removed
 * meanwhile loses its references in the copy.
 */
export function copyDatabase(
  source: string,
  target: string,
  epoch: Epoch,
  nativeBinding: string | undefined,
): Copied {
  const from = openSource(source, nativeBinding);
  let isBegun = false;
  try {
    const partial = beginFile(target);
    isBegun = true;
    const to = new AttachmentFiles(target, 'power');
    from.prepare(inOrder(QUERIES.copyDatabase)).run(partial);
    const copy = openRaw(partial, nativeBinding, false);
    let attachments: number;
    let newestId: number;
    let sequence: number | undefined;
    let moved: string | undefined;
    try {
      moved = to.beginCopy();
      attachments = copyAttachments(source, to, copy);
      if (epoch === 'new') copy.prepare(QUERIES.updateEpoch).run();
      newestId = Number(copy.prepare(QUERIES.selectLastEventId).pluck().get());
      sequence = sequenceOf(copy);
    } finally {
      copy.close();
    }
    const bytes = finishFile(target);
    to.finishCopy();
    return { bytes, newestId, attachments, sequence, moved };
  } catch (error) {
    if (isBegun) abandonCopy(target);
    throw copyError(error);
  } finally {
    from.close();
  }
}

/** Opens a database that a server may be using, without a change to the file. */
export function openSource(path: string, nativeBinding: string | undefined): Connection {
  checkFilesBeside(path);
  checkDatabase(path, nativeBinding);
  let db: Connection | undefined;
  try {
    db = openUnchanged(path, nativeBinding);
    checkSqlite(db);
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF');
    addWholeTextFunctions(db);
    addSealedTextFunctions(db);
    return db;
  } catch (error) {
    db?.close();
    throw unusable(error, path);
  }
}

/** Creates the file that becomes `target`; returns its path until then. */
export function beginFile(target: string): string {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw new CopyError('exists');
  const partial = `${target}.partial`;
  try {
    removePartial(target);
    closeSync(openSync(partial, 'wx', 0o600));
    return partial;
  } catch (error) {
    throw copyError(error);
  }
}

/** Removes what an earlier try to create `target` left of its file. */
export function removePartial(target: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    rmSync(`${target}.partial${suffix}`, { force: true });
}

/** Removes what a command has written of a database that it could not finish. */
export function abandonCopy(target: string): void {
  try {
    removePartial(target);
    // A database that has its name is whole.
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined)
      new AttachmentFiles(target, 'process').removeCopy();
  } catch {
    // The next try removes what is left.
  }
}

/** Syncs the file of `beginFile`, and gives it its name; returns its size. */
export function finishFile(target: string): number {
  const partial = `${target}.partial`;
  try {
    const bytes = sync(partial, SYNC_FLAGS);
    renameSync(partial, target);
    if (SYNCS_FOLDERS) sync(dirname(target), 'r');
    return bytes;
  } catch (error) {
    throw copyError(error);
  }
}

/** Copies the contents that the copy refers to; returns their number. */
function copyAttachments(source: string, to: AttachmentFiles, copy: Connection): number {
  const from = new AttachmentFiles(source, 'process');
  const remove = copy.prepare<unknown[]>(inOrder(QUERIES.deleteAttachmentReferences));
  const files = copy.prepare(QUERIES.selectAttachmentFiles).raw().all() as [Digest, number][];
  if (files.length > 0) to.beginContents(folderOwner(copy));
  let copied = 0;
  for (const [digest, size] of files) {
    if (from.copyTo(to, digest, size)) copied++;
    else remove.run(digest);
  }
  return copied;
}

/** Returns the size of a file or folder after its sync. */
function sync(path: string, flags: string): number {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

function copyError(error: unknown): Error {
  if (error instanceof CopyError || error instanceof OpenError) return error;
  return new CopyError(sqliteCode(error) === undefined ? fileCode(error) : storeCode(error));
}
