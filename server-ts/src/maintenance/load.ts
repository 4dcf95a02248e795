/**
 * Creates a database from a dump of this schema or of an earlier one (rule BAK-05).
 *
 * The statements come from the schema itself (`select_load_statements.sql`), so a new column needs no change here.
 * Over 250 lines because a row, a content and the ends of a dump are read together.
 * Invariant: the database has its name only when every line was stored and the sums agree with the events.
 */
import { createHash, type Hash } from 'node:crypto';
import { SCHEMA, type SchemaFacts } from '../contract.ts';
import { type Digest, digestHex, parseDigest } from '../digest.ts';
import { LOADS, QUERIES } from '../queries.ts';
import { AttachmentFiles, type TemporaryFile } from '../store/attachment-files.ts';
import type { FolderOwner } from '../store/attachment-folder.ts';
import { folderOwner } from '../store/attachments.ts';
import { type Connection, Numbered, type Statement } from '../store/connection.ts';
import { abandonCopy, beginFile, finishFile } from '../store/copy.ts';
import { fileCode } from '../store/failure.ts';
import { createPartial } from '../store/schema.ts';
import { contentLine } from './dump.ts';
import { CommandFailure, writeCode } from './failure.ts';
import { inputLines } from './output.ts';
import { verifyDatabase } from './verify.ts';

/** A finished load. */
export interface Loaded {
  readonly lines: number;
  readonly events: number;
  /** The new path of another folder of attachments that was in the place of the database's. */
  readonly moved: string | undefined;
}

/** The members of a line that its table does not decide. */
interface Line {
  readonly table?: unknown;
  /** Of `dump`. */
  readonly schema?: unknown;
  /** Of `end`: the number of lines before it. */
  readonly lines?: unknown;
  /** Of `attachment_bytes`, as the two below. */
  readonly digest?: unknown;
  readonly offset?: unknown;
  readonly base64?: unknown;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Creates the database at `target`, which must not exist, from the lines of a dump on standard input. */
export async function loadDump(target: string, nativeBinding: string | undefined): Promise<Loaded> {
  let db: Connection | undefined;
  let isBegun = false;
  try {
    const partial = beginFile(target);
    isBegun = true;
    db = createPartial(partial, nativeBinding);
    // A crash leaves only the partial file, which the next load replaces.
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    const lines = new Lines();
    const schema = schemaOf(lines.next());
    lines.require({ table: 'dump', schema });
    const files = new AttachmentFiles(target, 'power');
    const moved = files.beginCopy();
    await storeLines(lines, schema, target, db, new Contents(target, files, folderOwner(db)));
    for (const [number, sql] of LOADS) if (schema < number) db.exec(sql);
    db.exec('COMMIT');
    // The statements after the rows leave hollow pages.
    if (schema < SCHEMA.number) db.exec('VACUUM');
    const verified = await verifyDatabase(db, files, nativeBinding);
    // The dumped database may already lack a content.
    const finding = verified.findings.find(({ check }) => check !== 'attachments');
    if (finding !== undefined) throw CommandFailure.ofDump('contradicts', { check: finding.check });
    db.close();
    finishFile(target);
    files.finishCopy();
    return { lines: lines.count, events: verified.events, moved };
  } catch (error) {
    db?.close();
    if (isBegun) abandonCopy(target);
    const failure = CommandFailure.copy(error, target);
    if (failure instanceof CommandFailure) throw failure;
    throw CommandFailure.unwritable(target, writeCode(error) ?? 'storage_error');
  } finally {
    db?.close();
  }
}

/** The lines of a dump. */
class Lines {
  /** The last line. */
  text = '';
  /** Number of lines so far. */
  count = 0;
  private readonly input = inputLines();

  next(): Line {
    const { done, value } = this.input.next();
    if (done) throw CommandFailure.ofDump('cut', {});
    this.count++;
    this.text = textOf(value, this.count);
    return parse(this.text, this.count);
  }

  /** Refuses the last line unless it is this object, as a dump writes it. */
  require(line: object): void {
    if (this.text !== JSON.stringify(line)) throw CommandFailure.line(this.count, 'form');
  }

  /** Refuses bytes after the last line. */
  requireEnd(): void {
    if (!this.input.next().done) throw CommandFailure.line(this.count + 1, 'after');
  }
}

/** Returns the schema of the dump that begins with this line. */
function schemaOf({ table, schema: found }: Line): number {
  if (table !== 'dump' || !Number.isSafeInteger(found) || (found as number) < 1)
    throw CommandFailure.line(1, 'first');
  if ((found as number) > SCHEMA.number)
    throw CommandFailure.ofDump('newer', { found: found as number, known: SCHEMA.number });
  return found as number;
}

/** The statements of a table. */
interface LoadStatements {
  /** Returns a column of a line that the table does not have. */
  readonly unknown: Statement;
  /** Stores a line. */
  readonly load: Statement;
  /** Returns whether a line follows another one in the order of the primary key. */
  readonly follows: Statement;
}

/** Returns the statements of every table by its name. */
function loadStatements(
  db: Connection,
  dropped: readonly string[],
  renamed: Readonly<Record<string, string>>,
): Map<string, LoadStatements> {
  const rows = new Numbered(db, QUERIES.selectLoadStatements).all(
    JSON.stringify(dropped),
    JSON.stringify(renamed),
  );
  return new Map(
    (rows as Record<'name' | 'unknown' | 'load' | 'follows', string>[]).map((row) => [
      row.name,
      {
        unknown: db.prepare<unknown[]>(row.unknown).pluck(),
        load: db.prepare<unknown[]>(row.load),
        follows: db.prepare<unknown[]>(row.follows).pluck(),
      },
    ]),
  );
}

/** What a dump of this schema leaves out and names differently. */
const NOTHING: Pick<SchemaFacts, 'dropped' | 'renamed'> = { dropped: [], renamed: {} };

/** Stores every line of a dump of this schema after the first. */
async function storeLines(
  lines: Lines,
  schema: number,
  target: string,
  db: Connection,
  contents: Contents,
): Promise<void> {
  const { dropped, renamed } = schema < SCHEMA.number ? SCHEMA : NOTHING;
  const statements = loadStatements(db, dropped, renamed);
  /** The table and the text of the last row. */
  let [before, beforeText] = ['', ''];
  for (;;) {
    const line = lines.next();
    const { count, text } = lines;
    if (line.table === 'attachment_bytes') {
      const [digest, offset, bytes] = await contents.add(line, count);
      lines.require(contentLine(digest, offset, bytes));
    } else if (line.table === 'end') {
      await contents.finish(count);
      if (line.lines !== count - 1) throw CommandFailure.line(count, 'count');
      lines.require({ table: 'end', lines: count - 1 });
      lines.requireEnd();
      return;
    } else {
      const table = line.table as string;
      const ofTable = statements.get(table);
      if (ofTable !== undefined) storeLine(ofTable, text, target, count);
      else if (!dropped.includes(table)) throw CommandFailure.line(count, 'table');
      let follows =
        contents.last === undefined && Buffer.compare(Buffer.from(table), Buffer.from(before)) >= 0;
      if (follows && table === before && ofTable !== undefined)
        follows = ofTable.follows.get(beforeText, text) === 1;
      if (!follows) throw CommandFailure.line(count, 'order');
      [before, beforeText] = [table, text];
    }
  }
}

/** Stores a line in its table. */
function storeLine(statements: LoadStatements, text: string, target: string, count: number): void {
  const { unknown, load } = statements;
  try {
    const column = unknown.get(text);
    if (column !== undefined)
      throw CommandFailure.ofDump('column', { line: count, column: column as string });
    load.run(text);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const code = writeCode(error);
    throw code === undefined ? CommandFailure.line(count, 'row') : CommandFailure.unwritable(target, code);
  }
}

function textOf(bytes: Uint8Array, count: number): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw CommandFailure.line(count, 'text');
  }
}

function parse(text: string, count: number): Line {
  try {
    const line = JSON.parse(text) as Line | null;
    if (typeof line?.table === 'string') return line;
  } catch {
    // The same refusal follows.
  }
  throw CommandFailure.line(count, 'line');
}

interface Content {
  readonly sha256: string;
  readonly file: TemporaryFile;
  readonly hash: Hash;
  length: number;
}

/** The contents of attachments: one is open, the earlier ones have their names. */
class Contents {
  /** The content of the last line. */
  last: string | undefined;
  private readonly target: string;
  private readonly files: AttachmentFiles;
  /** The database that is created. */
  private readonly owner: FolderOwner;
  private open: Content | undefined;

  constructor(target: string, files: AttachmentFiles, owner: FolderOwner) {
    this.target = target;
    this.files = files;
    this.owner = owner;
  }

  /** Appends the bytes of a line to its content; returns the content, the offset and the bytes. */
  async add({ digest: name, offset, base64 }: Line, count: number): Promise<[Digest, number, Buffer]> {
    const digest = typeof name === 'string' ? parseDigest(name) : undefined;
    const bytes = typeof base64 === 'string' ? bytesOf(base64) : undefined;
    if (digest === undefined || bytes === undefined) throw CommandFailure.line(count, 'row');
    const sha256 = digestHex(digest);
    if (this.open?.sha256 !== sha256) {
      await this.finish(count);
      const { last } = this;
      if (last !== undefined && last >= sha256) throw CommandFailure.line(count, 'order');
      if (last === undefined) await this.tried(async () => this.files.beginContents(this.owner));
      this.last = sha256;
      const file = await this.tried(() => this.files.begin());
      this.open = { sha256, file, hash: createHash('sha256'), length: 0 };
    }
    const open: Content = this.open;
    if (offset !== open.length) throw CommandFailure.line(count, 'offset');
    await this.tried(() => open.file.append(bytes));
    open.hash.update(bytes);
    open.length += bytes.length;
    return [digest, offset, bytes];
  }

  /** Gives the open content its name. */
  async finish(count: number): Promise<void> {
    const { open } = this;
    if (open === undefined) return;
    this.open = undefined;
    const digest: Digest = open.hash.digest();
    if (digestHex(digest) !== open.sha256) throw CommandFailure.line(count, 'digest');
    await this.tried(async () => {
      await open.file.sync();
      this.files.persist(open.file.path, digest);
    });
  }

  private async tried<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw CommandFailure.unwritable(this.target, fileCode(error));
    }
  }
}

/** Decodes base64 with padding; `undefined` for any other text. */
function bytesOf(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}
