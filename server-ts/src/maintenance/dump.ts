/**
 * Writes a database as NDJSON, a line for each row (rule BAK-04).
 *
 * The statements come from the schema itself (`select_dump_statements.sql`), so a new column is in the dump of both
 * servers without a change here.
 */
import { SCHEMA } from '../contract.ts';
import { type Digest, digestHex } from '../digest.ts';
import { QUERIES } from '../queries.ts';
import { AttachmentFiles } from '../store/attachment-files.ts';
import type { Connection } from '../store/connection.ts';
import { openSource } from '../store/copy.ts';
import { CommandFailure } from './failure.ts';
import { Output } from './output.ts';

/** Writes a line as JSON that means the same. */
export type Form = (line: string) => string;

/** Number of bytes of a content in one line. */
const CHUNK = 1 << 20;

/**
 * Writes the database at `path`, as of one transaction. The file stays as it is. `form` writes a line for a terminal or
 * a program.
 */
export async function writeDump(path: string, form: Form, nativeBinding: string | undefined): Promise<void> {
  const out = new Output(form);
  let db: Connection | undefined;
  try {
    db = openSource(path, nativeBinding);
    out.object({ table: 'dump', schema: SCHEMA.number });
    db.exec('BEGIN');
    const statements = db.prepare(QUERIES.selectDumpStatements).all() as { readonly dump: string }[];
    for (const { dump } of statements) {
      for (const line of db.prepare<unknown[]>(dump).pluck().iterate()) out.line(line as string);
    }
    const files = new AttachmentFiles(path, 'process');
    const contents = db.prepare(QUERIES.selectAttachmentFiles).raw().all() as [Digest, number][];
    for (const [digest, size] of contents) await writeContent(out, files, digest, size);
    out.object({ table: 'end', lines: out.count });
    out.flush();
  } catch (error) {
    throw CommandFailure.database(path, error);
  } finally {
    db?.close();
  }
}

/** Writes a content in pieces; nothing when a deletion removed it after the transaction began. */
async function writeContent(
  out: Output,
  files: AttachmentFiles,
  digest: Digest,
  size: number,
): Promise<void> {
  let offset = 0;
  do {
    const length = Math.min(CHUNK, size - offset);
    const bytes = await files.read(digest, offset, length).catch(() => undefined);
    if (bytes === undefined) return;
    out.object(contentLine(digest, offset, bytes));
    offset += length;
  } while (offset < size);
}

/** Returns the line of these bytes of a content. */
export function contentLine(digest: Digest, offset: number, bytes: Buffer): object {
  return { table: 'attachment_bytes', digest: digestHex(digest), offset, base64: bytes.toString('base64') };
}
