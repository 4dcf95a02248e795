/**
 * Checks the database file before opening it, and opens connections with the contract's pragmas (rules STO-01 and
 * PRO-06).
 *
 * `checkFile` reads the header through its own descriptor and closes it before SQLite opens the file. Closing a
 * descriptor later would drop the locks that SQLite holds in this process (POSIX record locks). Over 250 lines because
 * every way to open the file is here.
 */
import { closeSync, existsSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Durability } from '../config/index.ts';
import { EXITS } from '../contract/flags.ts';
import { FILE_PRAGMAS, fill, PRAGMAS, REPORTED_PRAGMAS, SCHEMA, TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { fileReason, sqliteCode, storeCode } from './failure.ts';
import type { Owner } from './owner.ts';
import { addSealedTextFunctions } from './sealed-texts.ts';
import { addTextFunction } from './text-search.ts';
import { addWholeTextFunctions } from './whole-texts.ts';

export type Connection = Database.Database;
export type Statement = Database.Statement<unknown[]>;

export interface ConnectionOptions {
  readonly path: string;
  readonly durability: Durability;
  /** Path of the native module next to the bundle; the package's own module when absent. */
  readonly nativeBinding: string | undefined;
  readonly readonly?: boolean;
  /** 1 at its first place ends the search that runs. */
  readonly ended?: Int32Array;
}

const { database, lock, cluster } = EXITS;

/** The reason why the server cannot start on this database: the exit code and a message for the user. */
export class OpenError extends Error {
  /** The process's exit code. */
  readonly exit: number;

  constructor(exit: number, message: string) {
    super(message);
    this.name = 'OpenError';
    this.exit = exit;
  }

  /** Returns an error with a message of `exits.database` in `config.json`. */
  static of(message: OpenMessage, values: Readonly<Record<string, string | number>>): OpenError {
    return new OpenError(database.code, fill(database[message], values));
  }

  /** Returns the error for a database that another server holds: pid and URL of that server, if known. */
  static locked(path: string, owner: Owner | undefined): OpenError {
    const text = owner === undefined ? fill(lock.locked, { path }) : fill(lock.locked_by, { path, ...owner });
    return new OpenError(lock.code, text);
  }

  /** Returns the error for a new database whose stream cannot be read. */
  static noStream(path: string, stream: string, host: string, reason: string): OpenError {
    return new OpenError(cluster.code, fill(cluster.unavailable, { path, stream, host, reason }));
  }
}

type OpenMessage = Exclude<keyof typeof database, 'code'>;

/** "TWIN" in ASCII, as the schema sets it. */
const APPLICATION_ID = 1_415_006_542;
const MAGIC = 'SQLite format 3\0';

export function openConnection(options: ConnectionOptions): Connection {
  return configure(openRaw(options.path, options.nativeBinding, options.readonly ?? false), options);
}

/** Opens the writing connection, which also creates the file's first page. */
export function openWriter(options: ConnectionOptions): Connection {
  const db = openRaw(options.path, options.nativeBinding, false);
  db.exec(FILE_PRAGMAS);
  return configure(db, options);
}

function configure(db: Connection, options: ConnectionOptions): Connection {
  db.exec(PRAGMAS);
  db.pragma(`synchronous = ${options.durability === 'power' ? 'FULL' : 'NORMAL'}`);
  addTextFunction(db, options.ended);
  addWholeTextFunctions(db);
  addSealedTextFunctions(db);
  return db;
}

/**
 * Returns SQLite's compile options, sorted by bytes (rule HEA-01). They are ASCII, so that text has the same order.
 */
export function compileOptions(db: Connection): string[] {
  const rows = db.pragma('compile_options') as { compile_options: string }[];
  return rows.map((row) => row.compile_options).sort();
}

/** Returns the effective value of each reported pragma (rule HEA-01); only this server changes them afterwards. */
export function reportedPragmas(db: Connection): Record<string, string | number> {
  const ask = (name: string) => [name, db.pragma(name, { simple: true }) as string | number] as const;
  return Object.fromEntries(REPORTED_PRAGMAS.map(ask));
}

/**
 * Opens a connection without the contract's pragmas, for the lock and for checks before use.
 *
 * better-sqlite3 trims the name of a file. SQLite drops a last `.`, so such a name ends in one (rule STO-14).
 */
export function openRaw(path: string, nativeBinding: string | undefined, readonly: boolean): Connection {
  return new Database(path.trim() === path ? path : `${path}/.`, {
    readonly,
    fileMustExist: true,
    timeout: 0,
    ...(nativeBinding === undefined ? {} : { nativeBinding }),
  });
}

/**
 * Opens a database that a server may be using, without a change to the file and without a file that stays. A connection
 * that can write removes the files that it has made, as the last one that SQLite knows. It would also move a log into the
 * database, so next to a log the connection can only read.
 */
export function openUnchanged(path: string, nativeBinding: string | undefined): Connection {
  return openRaw(path, nativeBinding, hasLog(path));
}

/**
 * Rolls back what a kill during the first start left. That start turns a journal of a new, copied or loaded file into a
 * write-ahead log. A read-only connection, as `checkFile` then has, cannot. Later the file has no journal.
 */
export function recoverJournal(path: string, nativeBinding: string | undefined): void {
  if (!existsSync(`${path}-journal`)) return;
  let db: Connection | undefined;
  try {
    db = openRaw(path, nativeBinding, false);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    throw unusable(error, path);
  } finally {
    db?.close();
  }
}

/** Returns whether a write-ahead log or a journal with content is next to the database. */
function hasLog(path: string): boolean {
  return ['-wal', '-journal'].some((suffix) => sizeOf(`${path}${suffix}`) > 0);
}

/** Returns the size of a file in bytes; -1 without one. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

/**
 * Checks a missing file, and a file of no bytes. Neither is a new database when files of a database are next to it: its
 * file was cut, or moved away without them. Call it before the lock is taken, which creates such a file.
 */
export function checkEmpty(path: string): void {
  const size = sizeOf(path);
  if (size > 0) return;
  if (hasLog(path)) throw OpenError.of(size < 0 ? 'log_alone' : 'empty_with_wal', { path });
  if (size === 0 && isClaimed(path)) throw OpenError.of('empty', { path });
}

/** Returns whether a server has used the database at this path. */
function isClaimed(path: string): boolean {
  return ['.lock', '.attachments'].some(
    (suffix) => lstatSync(`${path}${suffix}`, { throwIfNoEntry: false }) !== undefined,
  );
}

/**
 * Checks a file before any write, with its newest rows if the caller will `write`; returns whether it has no schema yet.
 */
export function checkFile(
  path: string,
  nativeBinding: string | undefined,
  access: 'read' | 'write',
): 'new' | 'ours' {
  if (sizeOf(path) <= 0) return 'new';
  if (readHead(path, MAGIC.length) !== MAGIC) throw OpenError.of('not_sqlite', { path });
  let db: Connection | undefined;
  try {
    db = openUnchanged(path, nativeBinding);
    const applicationId = db.pragma('application_id', { simple: true });
    const userVersion = Number(db.pragma('user_version', { simple: true }));
    const tables = Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get());
    // A server that was killed before it created the schema leaves only a header.
    if (applicationId === 0 && userVersion === 0 && tables === 0) return 'new';
    if (applicationId !== APPLICATION_ID) throw OpenError.of('foreign', { path });
    if (userVersion !== SCHEMA.number) throw otherSchema(path, userVersion);
    if (access === 'write') checkTail(db);
    return 'ours';
  } catch (error) {
    throw unusable(error, path);
  } finally {
    db?.close();
  }
}

/** Returns the refusal of a file with another schema. For an older one it has the commands that convert the file. */
function otherSchema(path: string, found: number): OpenError {
  return OpenError.of(found > SCHEMA.number ? 'newer' : 'older', {
    path,
    found,
    known: SCHEMA.number,
    file: shellWord(path),
    dump: shellWord(`${path}.ndjson`),
    new: shellWord(`${path}.${SCHEMA.number}`),
  });
}

/** Returns a text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Checks that the file is a database of these servers, without changing it. */
export function checkDatabase(path: string, nativeBinding: string | undefined): void {
  if (!existsSync(path)) throw OpenError.of('missing', { path });
  checkEmpty(path);
  if (checkFile(path, nativeBinding, 'read') === 'new') throw OpenError.of('foreign', { path });
}

/** Reads the newest rows, to find a damaged end of the table before writing to it. */
function checkTail(db: Connection): void {
  addSealedTextFunctions(db);
  const newest = db.prepare(inOrder(QUERIES.selectLastEventId)).pluck().get();
  db.prepare('SELECT * FROM events_readable WHERE id = ?').all(newest);
  db.prepare('SELECT * FROM events ORDER BY id DESC LIMIT 100').all();
  db.prepare('SELECT * FROM event_texts ORDER BY id DESC LIMIT 100').all();
  db.prepare('SELECT * FROM sessions ORDER BY last_event_id DESC LIMIT 100').all();
}

/** Returns the failure to report for an error of SQLite at the start. */
export function unusable(error: unknown, path: string): OpenError {
  if (error instanceof OpenError) return error;
  const code = sqliteCode(error) ?? '';
  if (code.startsWith('SQLITE_CORRUPT')) return OpenError.of('corrupt', { path });
  if (code.startsWith('SQLITE_BUSY')) return OpenError.locked(path, undefined);
  if (code.startsWith('SQLITE_NOTADB')) return OpenError.of('not_sqlite', { path });
  if (code === '') return OpenError.of('unusable', { path, reason: fileReason(error) });
  // A running server treats this error as temporary. At a start it is final.
  const reason = code.startsWith('SQLITE_CANTOPEN') ? 'storage_error' : storeCode(error);
  return OpenError.of('unusable', { path, reason });
}

/**
 * Returns the version of SQLite; throws when it is too old. Older versions can lose committed transactions in WAL mode
 * (rule STO-01).
 */
export function checkSqlite(db: Connection): string {
  const found = String(db.prepare('SELECT sqlite_version()').pluck().get());
  if (compareVersions(found, TUNING.sqlite_minimum) < 0) {
    throw OpenError.of('old_sqlite', { found, known: TUNING.sqlite_minimum });
  }
  return found;
}

export function compareVersions(left: string, right: string): number {
  const [a, b] = [left.split('.').map(Number), right.split('.').map(Number)];
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Number of cache pages for a single pass over the file. */
const SMALL_CACHE_PAGES = 64;

/** Runs a read that passes once through much of the file, without caching the passed pages. */
export function withSmallCache<T>(db: Connection, read: () => T): T {
  const usual = Number(db.pragma('cache_size', { simple: true }));
  db.pragma(`cache_size = ${SMALL_CACHE_PAGES}`);
  try {
    return read();
  } finally {
    db.pragma(`cache_size = ${usual}`);
  }
}

/**
 * Rewrites a statement of the contract for values by position. better-sqlite3 treats `?1` as a name, so this removes
 * the numbers. That requires each number once and in order, which this function checks. SQLite numbers named
 * parameters in the order of the statement.
 */
export function inOrder(sql: string): string {
  const { text, order } = withoutNumbers(sql);
  if (order.some((number, at) => number !== at + 1)) throw new Error(`parameters out of order: ${sql}`);
  return text;
}

/** A statement of the contract whose numbered or named parameters may repeat and may come in any order. */
export class Numbered {
  private readonly statement: Statement;
  private readonly order: readonly number[];
  private readonly names: readonly string[];

  /** With `isExact` integers are BigInt. */
  constructor(db: Connection, sql: string, raw = false, isExact = false) {
    const { text, order, names } = withoutNumbers(sql);
    this.statement = db.prepare<unknown[]>(text);
    if (raw) this.statement.raw();
    if (isExact) this.statement.safeIntegers();
    this.order = order;
    this.names = names;
  }

  /** Returns the values of named parameters in order; a missing value is null. */
  valuesOf(given: Readonly<Record<string, unknown>>): unknown[] {
    return this.names.map((name) => given[name]);
  }

  /** Returns the number of changed rows. */
  run(...values: readonly unknown[]): number {
    return this.statement.run(this.places(values)).changes;
  }

  get(...values: readonly unknown[]): unknown {
    return this.statement.get(this.places(values));
  }

  all(...values: readonly unknown[]): unknown[] {
    return this.statement.all(this.places(values));
  }

  iterate(...values: readonly unknown[]): IterableIterator<unknown> {
    return this.statement.iterate(this.places(values));
  }

  private places(values: readonly unknown[]): unknown[] {
    return this.order.map((number) => values[number - 1] ?? null);
  }
}

function withoutNumbers(sql: string): { text: string; order: number[]; names: string[] } {
  const order: number[] = [];
  const names: string[] = [];
  const text = sql
    .replace(/--.*$/gm, '')
    .replace(/\?(\d+)|:([a-z][a-z0-9_]*)/g, (_, number: string, name: string) => {
      if (name !== undefined && !names.includes(name)) names.push(name);
      order.push(name === undefined ? Number(number) : names.indexOf(name) + 1);
      return '?';
    });
  return { text, order, names };
}

/** Returns the names of a statement's parameters, in SQLite's numbering order. */
export function parameterNames(sql: string): readonly string[] {
  return withoutNumbers(sql).names;
}

function readHead(path: string, length: number): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const head = Buffer.alloc(length);
    const read = readSync(descriptor, head, 0, length, 0);
    return head.toString('latin1', 0, read);
  } catch (error) {
    throw unusable(error, path);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
