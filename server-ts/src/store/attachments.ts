/**
 * Stores and reads the rows of attachments: which event refers to which content, by which name (rules ATT-01 to
 * ATT-09).
 *
 * Invariant: the writer alone gives contents their names and removes them, in the turn in which it stores the row. So no
 * upload can remove a content that another one has begun to refer to.
 */
import { type Digest, digestHex } from '../digest.ts';
import { QUERIES } from '../queries.ts';
import type { FlatRow } from '../render.ts';
import type { AttachmentFiles } from './attachment-files.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import { storeCode } from './failure.ts';
import type { Queries } from './query.ts';

/** A content that was received, and the row that is to refer to it. */
export interface Attachment {
  readonly event: number;
  readonly name: string;
  readonly mediaType: string;
  readonly sha256: Digest;
  readonly size: number;
  /** The path of its bytes. */
  readonly file: string;
}

/**
 * What became of an attachment: its row is new, and perhaps the first that refers to its content; or the event has it
 * already; or it has another one of this name, and nothing has changed.
 */
export type Attached = 'first' | 'stored' | 'repeated' | 'conflict';

/** Stores attachments; belongs to the writer's thread. */
export class AttachmentWriter {
  private readonly files: AttachmentFiles;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly selectAttachment: Statement;
  private readonly selectFile: Statement;
  private readonly insert: Statement;
  private readonly db: Connection;

  constructor(db: Connection, files: AttachmentFiles) {
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.db = db;
    this.files = files;
    this.begin = prepare('BEGIN');
    this.commit = prepare('COMMIT');
    this.rollback = prepare('ROLLBACK');
    this.selectAttachment = prepare(QUERIES.selectAttachment);
    this.selectFile = prepare(QUERIES.selectAttachmentFile);
    this.insert = prepare(QUERIES.insertAttachment);
  }

  /** Stores one in a transaction of its own: first its content gets its name, then the row is committed. */
  insertAttachment(attachment: Attachment, nowMs: number): Attached {
    this.begin.run();
    try {
      return this.insertBegun(attachment, nowMs);
    } finally {
      // Where nothing was to be stored, or something failed; after some errors SQLite has rolled back by itself.
      if (this.db.inTransaction) this.rollback.run();
    }
  }

  private insertBegun(attachment: Attachment, nowMs: number): Attached {
    const { event, name, mediaType, size, file } = attachment;
    // better-sqlite3 takes a Buffer alone for a blob.
    const sha256 = Buffer.from(attachment.sha256);
    const known = this.selectAttachment.get(event, name) as KnownRow | undefined;
    if (known !== undefined) {
      if (!sha256.equals(known.sha256) || known.media_type !== mediaType) return 'conflict';
      // A folder that was restored without this content gets it back.
      if (!this.files.hasSync(sha256, size)) this.files.persist(file, sha256);
      return 'repeated';
    }
    const isFirst = this.selectFile.get(sha256) === undefined;
    this.files.persist(file, sha256);
    try {
      this.insert.run(event, name, sha256, size, mediaType, nowMs);
      this.commit.run();
    } catch (error) {
      // After an I/O error the row may be there all the same; the next start knows.
      if (isFirst && storeCode(error) !== 'storage_error') this.files.remove(sha256);
      throw error;
    }
    return isFirst ? 'first' : 'stored';
  }

  /** Removes what no row refers to, and sums up the bytes of the rest, each content once (rules ATT-04 and ATT-09). */
  sweepAttachments(): number {
    const known = new Set<string>();
    let bytes = 0;
    const rows = this.db.prepare(QUERIES.selectAttachmentFiles).iterate() as IterableIterator<FileRow>;
    for (const { sha256, size } of rows) {
      known.add(digestHex(sha256));
      bytes += size;
    }
    try {
      this.files.sweep((digest) => known.has(digestHex(digest)));
    } catch {
      // What could not be removed takes space and nothing else; the next start tries again.
    }
    return bytes;
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

/** Whether there is an event of this id. */
export function hasEvent(queries: Queries, id: number): boolean {
  return queries.prepared(QUERIES.selectEventId).get(id) !== undefined;
}

/** The attachments of an event, ordered by name (rule ATT-06). */
export function listAttachments(queries: Queries, event: number): FlatRow[] {
  return queries.prepared(QUERIES.selectAttachments).all(event) as FlatRow[];
}

/** A content as the first reference to it describes it. */
export interface AttachmentFile {
  readonly name: string;
  readonly size: number;
  readonly mediaType: string;
}

/** A content that an event has (rule ATT-07). */
export function findAttachmentFile(queries: Queries, sha256: Digest): AttachmentFile | undefined {
  const row = queries.prepared(QUERIES.selectAttachmentFile).get(Buffer.from(sha256)) as FlatRow | undefined;
  if (row === undefined) return undefined;
  return { name: String(row.name), size: Number(row.size), mediaType: String(row.media_type) };
}
