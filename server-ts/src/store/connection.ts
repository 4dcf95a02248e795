/**
 * Checks the database file before it is opened, and opens connections with the contract's pragmas (rules STO-01 and
 * PRO-06).
 *
 * `checkFile` reads the header through a descriptor of its own and closes it before SQLite opens the file:
 * closing a descriptor later would drop the locks that SQLite holds in this process (POSIX record locks).
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Durability } from '../config/index.ts';
import { CONFIG_SPEC, fill, LIMITS, PRAGMAS, REPORTED_PRAGMAS, SCHEMA_VERSION } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { sqliteCode } from './failure.ts';

export type Connection = Database.Database;
export type Statement = Database.Statement<unknown[]>;

export interface ConnectionOptions {
  readonly path: string;
  readonly durability: Durability;
  /** The native module beside the bundle; the package's own when absent. */
  readonly nativeBinding: string | undefined;
  readonly readonly?: boolean;
}

/** A database that cannot be used at the start; the message is a line of `config.json`'s `exits.database`. */
export class OpenError extends Error {
  constructor(message: OpenMessage, values: Readonly<Record<string, string | number>>) {
    super(fill(CONFIG_SPEC.exits.database[message], values));
    this.name = 'OpenError';
  }
}

type OpenMessage = Exclude<keyof typeof CONFIG_SPEC.exits.database, 'code'>;

/** "TWIN" in ASCII, as the schema sets it. */
const APPLICATION_ID = 1_415_006_542;
const MAGIC = 'SQLite format 3\0';

export function openConnection(options: ConnectionOptions): Connection {
  const db = openRaw(options.path, options.nativeBinding, options.readonly ?? false);
  db.exec(PRAGMAS);
  db.pragma(`synchronous = ${options.durability === 'power' ? 'FULL' : 'NORMAL'}`);
  return db;
}

/** What SQLite was built with, ordered by bytes (rule HEA-01). All of it is ASCII, so that text has the same order. */
export function compileOptions(db: Connection): string[] {
  const rows = db.pragma('compile_options') as { compile_options: string }[];
  return rows.map((row) => row.compile_options).sort();
}

/** What SQLite answers for each of the reported pragmas (rule HEA-01); nobody but us changes them afterwards. */
export function reportedPragmas(db: Connection): Record<string, string | number> {
  const ask = (name: string) => [name, db.pragma(name, { simple: true }) as string | number] as const;
  return Object.fromEntries(REPORTED_PRAGMAS.map(ask));
}

/** A connection without the pragmas of the contract, for the lock and for looking at a file before using it. */
export function openRaw(path: string, nativeBinding: string | undefined, readonly: boolean): Connection {
  return new Database(path, {
    readonly,
    fileMustExist: true,
    timeout: 0,
    ...(nativeBinding === undefined ? {} : { nativeBinding }),
  });
}

/** Looks at a file before anything is written to it; whether it has no schema yet. */
export function checkFile(path: string, nativeBinding: string | undefined): 'new' | 'ours' {
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size === 0) {
    const wal = `${path}-wal`;
    if (existsSync(wal) && statSync(wal).size > 0) throw new OpenError('empty_with_wal', { path });
    return 'new';
  }
  if (readHead(path, MAGIC.length) !== MAGIC) throw new OpenError('not_sqlite', { path });
  let db: Connection | undefined;
  try {
    db = openRaw(path, nativeBinding, true);
    const applicationId = db.pragma('application_id', { simple: true });
    const userVersion = Number(db.pragma('user_version', { simple: true }));
    const tables = Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get());
    // A server that was killed before its file had a schema left a header and nothing else.
    if (applicationId === 0 && userVersion === 0 && tables === 0) return 'new';
    if (applicationId !== APPLICATION_ID) throw new OpenError('foreign', { path });
    if (userVersion > SCHEMA_VERSION) {
      throw new OpenError('newer', { path, found: userVersion, known: SCHEMA_VERSION });
    }
    checkTail(db);
    return 'ours';
  } catch (error) {
    throw unusable(error, path);
  } finally {
    db?.close();
  }
}

/** The newest rows, so that a damaged end of the table is found before it is written to. */
function checkTail(db: Connection): void {
  const newest = db.prepare(inOrder(QUERIES.selectLastEventId)).pluck().get();
  db.prepare(inOrder(QUERIES.selectEvent)).all(newest);
  db.prepare('SELECT * FROM events ORDER BY id DESC LIMIT 100').all();
  db.prepare('SELECT * FROM sessions ORDER BY last_event_id DESC LIMIT 100').all();
}

/** The failure to report for what SQLite said about a file at the start. */
export function unusable(error: unknown, path: string): OpenError {
  if (error instanceof OpenError) return error;
  const code = sqliteCode(error) ?? '';
  if (code.startsWith('SQLITE_CORRUPT')) return new OpenError('corrupt', { path });
  if (code.startsWith('SQLITE_NOTADB')) return new OpenError('not_sqlite', { path });
  return new OpenError('unusable', { path, reason: error instanceof Error ? error.message : String(error) });
}

/** Older ones can lose committed transactions in WAL mode (rule STO-01). */
export function checkSqlite(db: Connection): string {
  const found = String(db.prepare('SELECT sqlite_version()').pluck().get());
  if (compareVersions(found, LIMITS.sqlite_minimum) < 0) {
    throw new OpenError('old_sqlite', { found, known: LIMITS.sqlite_minimum });
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

/** Pages for what is read once from end to end. */
const SMALL_CACHE_PAGES = 64;

/** Runs a read that goes through much of the file once, without keeping in memory what it has passed. */
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
 * A statement of the contract for values by place. better-sqlite3 takes `?1` for a name, so the numbers go;
 * that is only right where they stand once each, in their order, which is checked here. SQLite numbers named parameters
 * in the order of the statement.
 */
export function inOrder(sql: string): string {
  const { text, order } = withoutNumbers(sql);
  if (order.some((number, at) => number !== at + 1)) throw new Error(`parameters out of order: ${sql}`);
  return text;
}

/** A statement of the contract whose numbered or named parameters stand in any order, or more than once. */
export class Numbered {
  private readonly statement: Statement;
  private readonly order: readonly number[];
  private readonly names: readonly string[];

  constructor(db: Connection, sql: string, raw = false) {
    const { text, order, names } = withoutNumbers(sql);
    this.statement = db.prepare<unknown[]>(text);
    if (raw) this.statement.raw();
    this.order = order;
    this.names = names;
  }

  /** The values of named parameters in their order; one that is not given is null. */
  valuesOf(given: Readonly<Record<string, unknown>>): unknown[] {
    return this.names.map((name) => given[name]);
  }

  run(...values: readonly unknown[]): void {
    this.statement.run(this.places(values));
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
    .replace(/\?(\d+)|:([a-z_]+)/g, (_, number: string, name: string) => {
      if (name !== undefined && !names.includes(name)) names.push(name);
      order.push(name === undefined ? Number(number) : names.indexOf(name) + 1);
      return '?';
    });
  return { text, order, names };
}

/** The names of a statement's parameters, in the order in which SQLite numbers them. */
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
