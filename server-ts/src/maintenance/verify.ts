/** Checks a database: the file as SQLite sees it, then its sums, summaries, keys and attachments (rule BAK-06). */
import { createHash } from 'node:crypto';
import { type Digest, digestHex } from '../digest.ts';
import { OF_SESSIONS, OF_STATS, pick } from '../figure.ts';
import { QUERIES } from '../queries.ts';
import { AttachmentFiles } from '../store/attachment-files.ts';
import { type Connection, Numbered, openRaw } from '../store/connection.ts';
import { openSource } from '../store/copy.ts';
import { createSchema } from '../store/schema.ts';
import { textLengths } from '../store/sealed-texts.ts';
import { unpackText } from '../store/whole-texts.ts';
import { CommandFailure } from './failure.ts';
import { Recount } from './recount.ts';

/** A check that found differences. */
export interface Finding {
  /** Its name. */
  readonly check: string;
  /** Number of differences. */
  readonly count: number;
}

/** The result of all checks. */
export interface Verified {
  /** Number of events. */
  readonly events: number;
  /** In the order of the checks. */
  readonly findings: readonly Finding[];
}

/** Checks the database at `path`, as of one transaction. The file stays as it is. */
export async function verifyFile(path: string, nativeBinding: string | undefined): Promise<Verified> {
  let db: Connection | undefined;
  try {
    db = openSource(path, nativeBinding);
    db.exec('BEGIN');
    return await verifyDatabase(db, new AttachmentFiles(path, 'process'), nativeBinding);
  } catch (error) {
    throw CommandFailure.database(path, error);
  } finally {
    db?.close();
  }
}

/** Checks a database through a connection. */
export async function verifyDatabase(
  db: Connection,
  files: AttachmentFiles,
  nativeBinding: string | undefined,
): Promise<Verified> {
  const rows = db.prepare('PRAGMA integrity_check').pluck().all();
  const broken = rows.filter((text) => text !== 'ok').length;
  // The other checks would read the broken pages.
  if (broken > 0) return { events: 0, findings: [{ check: 'file', count: broken }] };
  const [foreign, missing] = compareSchema(db, nativeBinding);
  // The other checks need these objects.
  if (missing > 0) return { events: 0, findings: [{ check: 'schema', count: foreign + missing }] };
  const count = Recount.read(db);
  // Sums of all time and of a session keep what the bounds deleted (rule RET-06).
  const isExact = db.prepare(QUERIES.selectLastDeletionId).pluck().get() === 0;
  const checks: Finding[] = [
    { check: 'schema', count: foreign },
    { check: 'names', count: checkNames(db, count) },
    { check: 'sessions', count: checkSessions(db, count, isExact) },
    { check: 'statistics', count: checkStats(db, count, isExact) },
    { check: 'order', count: count.wrongOrder },
    { check: 'blocks', count: count.missingInBlocks },
    { check: 'spans', count: count.missingInSpans },
    { check: 'event_ids', count: count.missingKeys },
    { check: 'texts', count: checkTexts(db) },
    { check: 'whole_texts', count: checkWholeTexts(db) },
    { check: 'attachments', count: await checkAttachments(db, files) },
  ];
  return { events: count.events, findings: checks.filter(({ count }) => count > 0) };
}

/** Counts objects of the file that the schema does not have, such as triggers, and objects that the file lacks. */
function compareSchema(db: Connection, nativeBinding: string | undefined): [number, number] {
  const objects = (of: Connection): Set<unknown> =>
    new Set(of.prepare(QUERIES.selectSchemaObjects).pluck().all());
  const fresh = openRaw(':memory:', nativeBinding, false);
  createSchema(fresh);
  const [found, known] = [objects(db), objects(fresh)];
  fresh.close();
  const without = (these: Set<unknown>, those: Set<unknown>): number =>
    [...these].filter((object) => !those.has(object)).length;
  return [without(found, known), without(known, found)];
}

/** Counts events whose metadata is missing, and metadata without an event, or of one that has it already. */
function checkTexts(db: Connection): number {
  let wrong = Number(db.prepare(QUERIES.selectLostTexts).pluck().get());
  const places = new Numbered(db, QUERIES.selectBlockPlaces, true);
  const blocks = db.prepare(QUERIES.selectSealedTexts).raw().iterate();
  for (const [id, bytes, frame] of blocks as Iterable<[number, number, Buffer]>)
    wrong += wrongTexts(places, id, bytes, frame);
  return wrong;
}

/**
 * Counts the rows of a sealed block whose text it lacks, and its texts without such a row. A frame that is none and a wrong
 * sum of bytes count as one.
 */
function wrongTexts(places: Numbered, id: number, bytes: number, frame: Buffer): number {
  const lengths = textLengths(id, frame);
  if (lengths === undefined) return 1;
  let [wrong, sum] = [0, 0];
  for (const [place, inline] of places.all(id) as [number, number | null][]) {
    const sealed = lengths[place];
    lengths[place] = undefined;
    if ((inline !== null) === (sealed !== undefined)) wrong++;
    sum += inline ?? sealed ?? 0;
  }
  wrong += lengths.filter((length) => length !== undefined).length;
  return wrong + Number(sum !== bytes);
}

/** Counts names of events that have no row. */
function checkNames(db: Connection, { names }: Recount): number {
  const known = new Set(db.prepare(QUERIES.selectNameIds).pluck().all());
  return [...names].filter((name) => !known.has(name)).length;
}

/** Counts sessions whose row disagrees with their events, and sessions without a row or an event. */
function checkSessions(db: Connection, { sessions, sums: counted }: Recount, isExact: boolean): number {
  let [wrong, seen] = [0, 0];
  for (const [key, first, last, ...sums] of rowsOf(db, QUERIES.selectSessionSums)) {
    const found = sessions.get(Number(key));
    if (found === undefined) {
      wrong++;
      continue;
    }
    seen++;
    const begins = isExact ? Number(first) === found.firstId : Number(first) <= found.firstId;
    if (
      !begins ||
      Number(last) !== found.lastId ||
      !agree(sums, pick(counted.sessions.get(Number(key))!, OF_SESSIONS), isExact)
    )
      wrong++;
  }
  return wrong + sessions.size - seen;
}

/** Counts rows of the statistics that disagree with the events, and missing ones. */
function checkStats(db: Connection, { sums: { stats } }: Recount, isExact: boolean): number {
  let [wrong, seen] = [0, 0];
  for (const [quarter, name, agent, ...sums] of rowsOf(db, QUERIES.selectStatsSums)) {
    const found = stats.get(`${quarter} ${name} ${agent}`);
    if (found !== undefined) seen++;
    if (!agree(sums, found === undefined ? sums.map(() => 0n) : pick(found, OF_STATS), isExact)) wrong++;
  }
  return wrong + stats.size - seen;
}

function rowsOf(db: Connection, sql: string): Iterable<bigint[]> {
  return db.prepare(sql).raw().safeIntegers().iterate() as Iterable<bigint[]>;
}

/** Returns whether stored sums agree with those of the events, which may be fewer after deletions by the bounds. */
function agree(stored: readonly bigint[], found: readonly bigint[], isExact: boolean): boolean {
  return stored.every((sum, at) => (isExact ? sum === found[at] : sum >= (found[at] ?? 0n)));
}

/** Counts contents that are missing or differ from their SHA-256, and references without an event. */
async function checkAttachments(db: Connection, files: AttachmentFiles): Promise<number> {
  let wrong = Number(db.prepare(QUERIES.selectLostAttachments).pluck().get());
  for (const [digest, size] of db.prepare(QUERIES.selectAttachmentFiles).raw().all() as [Digest, number][]) {
    if (!(await isWhole(files, digest, size))) wrong++;
  }
  return wrong;
}

/**
 * Counts whole texts without an event with a summary, frames that are no text, and texts with another size than their
 * event says.
 */
function checkWholeTexts(db: Connection): number {
  let wrong = 0;
  const rows = db.prepare(QUERIES.selectWholeTexts).raw().iterate();
  for (const [frame, bytes] of rows as IterableIterator<[Buffer, number | null]>)
    if (bytes === null || unpackText(frame)?.length !== bytes) wrong++;
  return wrong;
}

/** Number of bytes of a content that are read at a time. */
const CHUNK = 1 << 20;

async function isWhole(files: AttachmentFiles, digest: Digest, size: number): Promise<boolean> {
  if (!files.hasSync(digest, size)) return false;
  const hash = createHash('sha256');
  for (let at = 0; at < size; at += CHUNK) {
    const bytes = await files.read(digest, at, Math.min(CHUNK, size - at)).catch(() => undefined);
    if (bytes === undefined) return false;
    hash.update(bytes);
  }
  return hash.digest('hex') === digestHex(digest);
}
