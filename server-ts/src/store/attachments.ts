/**
 * Stores and reads the rows of attachments: the event, the content and the name of each (rules ATT-01 to ATT-09).
 *
 * Invariant: only the writer renames and removes contents, in the turn in which it stores the row. So no upload can
 * remove a content to which another one has just added a reference.
 */
import { type Digest, digestHex } from '../digest.ts';
import { QUERIES } from '../queries.ts';
import type { FlatRow } from '../render.ts';
import { type AttachmentFiles, diskBytes, type MovedAside } from './attachment-files.ts';
import { FolderOwner } from './attachment-folder.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import type { Content } from './deletions.ts';
import { fileCode, storeCode } from './failure.ts';
import type { Queries } from './query.ts';

/** A received content, and the row that will refer to it. */
export interface Attachment {
  readonly event: number;
  readonly name: string;
  readonly mediaType: string;
  readonly sha256: Digest;
  readonly size: number;
  /** Path of its bytes. */
  readonly file: string;
  /** Whether a new one must come through the stream that the database is a copy of. */
  readonly isShared: boolean;
}

/** The row of an attachment. */
type AttachmentRow = Omit<Attachment, 'file' | 'isShared'>;

/**
 * The result of storing an attachment: a new row, an existing row, or a conflict with another attachment of this name.
 * A new row is `first` if its content is new too. `no_event`: the event was deleted during the upload. `unshared`: it would
 * be new, so it must come through the stream; nothing changed.
 */
export type Attached = 'first' | 'stored' | 'repeated' | 'conflict' | 'no_event' | 'unshared';

/** Writes a line at level warn into the log. */
type Warn = (facts: Readonly<Record<string, unknown>>, text: string) => void;

/** Stores attachments; belongs to the writer's thread. */
export class AttachmentWriter {
  private readonly files: AttachmentFiles;
  private readonly warn: Warn;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly selectAttachment: Statement;
  private readonly selectFile: Statement;
  private readonly selectEvent: Statement;
  private readonly insert: Statement;
  private readonly updateToken: Statement;
  private readonly db: Connection;

  constructor(db: Connection, files: AttachmentFiles, warn: Warn) {
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.db = db;
    this.files = files;
    this.warn = warn;
    this.begin = prepare('BEGIN');
    this.commit = prepare('COMMIT');
    this.rollback = prepare('ROLLBACK');
    this.selectAttachment = prepare(QUERIES.selectAttachment);
    this.selectFile = prepare(QUERIES.selectAttachmentFile);
    this.selectEvent = prepare(QUERIES.selectEventId);
    this.insert = prepare(QUERIES.insertAttachment);
    this.updateToken = prepare(QUERIES.updateAttachmentsToken);
  }

  /** Stores an attachment in a transaction of its own: renames its content first, then commits the row. */
  insertAttachment(attachment: Attachment, nowMs: number): Attached {
    this.begin.run();
    try {
      return this.insertBegun(attachment, nowMs);
    } finally {
      // Nothing was stored, or an operation failed; after some errors SQLite has already rolled back.
      if (this.db.inTransaction) this.rollback.run();
    }
  }

  private insertBegun(attachment: Attachment, nowMs: number): Attached {
    const { size, file, isShared } = attachment;
    // better-sqlite3 accepts only a Buffer as a blob.
    const sha256 = Buffer.from(attachment.sha256);
    const found = this.find(attachment, sha256);
    if (found !== undefined) {
      // Restores the content in a restored folder that lacks it.
      if (found === 'repeated' && !this.files.hasSync(sha256, size)) this.files.persist(file, sha256);
      return found;
    }
    if (isShared) return 'unshared';
    const isFirst = this.noteContent(sha256);
    this.files.persist(file, sha256);
    try {
      this.add(attachment, sha256, nowMs, isFirst);
      this.commit.run();
    } catch (error) {
      // After an I/O error the row may still exist, so the content stays. The next start moves it aside if it has no row.
      if (isFirst && storeCode(error) !== 'storage_error') this.files.remove(sha256);
      throw error;
    }
    return isFirst ? 'first' : 'stored';
  }

  /** Gives a content of the stream its name, before the transaction that stores its row. Without a file only the row is new. */
  persist(file: string | undefined, sha256: Digest): void {
    this.noteContent(Buffer.from(sha256));
    if (file !== undefined) this.files.persist(file, sha256);
  }

  /** Records in the folder that a content is about to come; returns whether no row refers to it yet. */
  private noteContent(sha256: Buffer): boolean {
    const isFirst = this.selectFile.get(sha256) === undefined;
    if (isFirst) this.files.note(folderOwner(this.db).withContent(sha256));
    return isFirst;
  }

  /** Stores a row in the transaction of the caller, unless something forbids it. */
  insertRow(row: AttachmentRow, nowMs: number): Attached {
    const sha256 = Buffer.from(row.sha256);
    const found = this.find(row, sha256);
    if (found !== undefined) return found;
    const isFirst = this.selectFile.get(sha256) === undefined;
    this.add(row, sha256, nowMs, isFirst);
    return isFirst ? 'first' : 'stored';
  }

  /** Returns why a row is not new; `undefined` when it is. */
  private find({ event, name, mediaType }: AttachmentRow, sha256: Buffer): Attached | undefined {
    if (this.selectEvent.get(event) === undefined) return 'no_event';
    const known = this.selectAttachment.get(event, name) as KnownRow | undefined;
    if (known === undefined) return undefined;
    return sha256.equals(known.sha256) && known.media_type === mediaType ? 'repeated' : 'conflict';
  }

  /** `isFirst`: no row refers to the content yet. */
  private add(row: AttachmentRow, sha256: Buffer, nowMs: number, isFirst: boolean): void {
    const { event, name, size, mediaType } = row;
    if (isFirst) this.updateToken.run(folderOwner(this.db).withContent(sha256).token);
    this.insert.run(event, name, sha256, size, mediaType, nowMs);
  }

  /** Returns those of these contents to which no row refers any more, and the bytes that they take on disk. */
  findUnused(contents: readonly Content[]): readonly [unused: readonly Buffer[], bytes: number] {
    const unused: Buffer[] = [];
    let bytes = 0;
    for (const { sha256, size } of new Map(contents.map((one) => [digestHex(one.sha256), one])).values()) {
      if (this.selectFile.get(sha256) !== undefined) continue;
      unused.push(sha256);
      bytes += diskBytes(size);
    }
    return [unused, bytes];
  }

  /**
   * Removes a content, unless an upload has added a row for it meanwhile. If the file cannot be removed, the next start
   * removes it.
   */
  removeUnused(sha256: Buffer): void {
    if (this.selectFile.get(sha256) !== undefined) return;
    try {
      this.files.remove(sha256);
    } catch (error) {
      this.warn({ code: fileCode(error) }, 'a deleted attachment was not removed');
    }
  }

  /**
   * Removes contents whose rows were deleted, and sums up what the others take on disk, each content once (rules ATT-04 and
   * ATT-11). Returns the sum in bytes, and what was moved aside.
   */
  sweepAttachments(owner: FolderOwner): [number, MovedAside | undefined] {
    const known = new Set<string>();
    let bytes = 0;
    const rows = this.db.prepare(QUERIES.selectAttachmentFiles).iterate() as IterableIterator<FileRow>;
    for (const { sha256, size } of rows) {
      known.add(digestHex(sha256));
      bytes += diskBytes(size);
    }
    try {
      return [bytes, this.files.sweep(owner, (digest) => known.has(digestHex(digest)))];
    } catch (error) {
      // A file that cannot be removed only takes space; the next start tries again.
      this.warn({ code: fileCode(error) }, 'orphaned attachments were not removed');
      return [bytes, undefined];
    }
  }
}

interface KnownRow {
  readonly sha256: Buffer;
  readonly media_type: string;
}

interface FileRow {
  readonly sha256: Buffer;
  readonly size: number;
}

/** Returns what the folder of attachments must agree with (rule ATT-11). */
export function folderOwner(db: Connection): FolderOwner {
  const { id, token } = db.prepare(QUERIES.selectAttachmentsOwner).get() as Record<'id' | 'token', string>;
  return new FolderOwner(id, token);
}

/** Returns whether an event has this id. */
export function hasEvent(queries: Queries, id: number): boolean {
  return queries.prepared(QUERIES.selectEventId).get(id) !== undefined;
}

/** Returns the attachments of an event, ordered by name (rule ATT-06). */
export function listAttachments(queries: Queries, event: number): FlatRow[] {
  return queries.prepared(QUERIES.selectAttachments).all(event) as FlatRow[];
}

/** A content as its first reference describes it. */
export interface AttachmentFile {
  readonly name: string;
  readonly size: number;
  readonly mediaType: string;
}

/** Returns a content that an event refers to (rule ATT-07). */
export function findAttachmentFile(queries: Queries, sha256: Digest): AttachmentFile | undefined {
  const row = queries.prepared(QUERIES.selectAttachmentFile).get(Buffer.from(sha256)) as FlatRow | undefined;
  if (row === undefined) return undefined;
  return { name: String(row.name), size: Number(row.size), mediaType: String(row.media_type) };
}
