/**
 * Names the rows that make an audit fail: lost events, rows that were not sent or were stored twice, rows with other
 * columns.
 *
 * Both sides go into a temporary database, so that memory stays bounded. It runs only after a failure, so it need not
 * be fast.
 */
import Database from 'better-sqlite3';
import type { Claim } from './claim.ts';
import type { Expected } from './expected.ts';
import type { Value } from './row.ts';
import type { StoredFile } from './stored.ts';

/** Maximum number of rows of each kind to show. */
const SHOWN = 5;

const TABLES = `CREATE TABLE expected (number INTEGER, ids, hash);
  CREATE TABLE stored (number INTEGER, ids, hash)`;

/** Rows of one side without a row of the other. The nth of equal rows needs the nth equal row of the other side. */
const DIFFERENCES = [
  ['missing', 'expected', 'stored'],
  ['surplus', 'stored', 'expected'],
].map(
  ([name, side, other]) =>
    `CREATE TABLE ${name} AS WITH
      own AS (SELECT *, row_number() OVER (PARTITION BY hash ORDER BY number) AS nth FROM ${side}),
      others AS (SELECT hash, row_number() OVER (PARTITION BY hash ORDER BY number) AS nth FROM ${other})
      SELECT * FROM own WHERE (hash, nth) NOT IN (SELECT hash, nth FROM others)`,
);

const KINDS: readonly (readonly [title: string, place: string, rows: string])[] = [
  ['events lost', 'index', 'missing WHERE ids NOT IN (SELECT ids FROM surplus)'],
  ['rows stored again', 'row', 'surplus WHERE hash IN (SELECT hash FROM expected)'],
  [
    'rows that were not sent',
    'row',
    'surplus WHERE hash NOT IN (SELECT hash FROM expected) AND ids NOT IN (SELECT ids FROM missing)',
  ],
  ['rows with other columns', 'row', 'surplus WHERE ids IN (SELECT ids FROM missing)'],
];

export function explain(expected: Expected, stored: StoredFile, claim: Claim): string[] {
  // A database without a name is a temporary file, which SQLite removes.
  const database = new Database('');
  try {
    database.exec(TABLES);
    fill(database, 'expected', (add) => expected.visit(claim.ranges, (row) => add(row.index, row)));
    fill(database, 'stored', (add) => stored.visit(stored.share(0, 1), (row) => add(row.id, row)));
    for (const difference of DIFFERENCES) database.exec(difference);
    const lines = KINDS.flatMap((kind) => listOf(database, kind));
    return lines.length === 0 ? ['no row differs'] : lines;
  } finally {
    database.close();
  }
}

interface Row {
  readonly session_id: Value;
  readonly event_id: Value;
  readonly hash: string;
}

function fill(
  database: Database.Database,
  table: string,
  visit: (add: (number: number, row: Row) => void) => void,
): void {
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
  const add = (number: number, { session_id, event_id, hash }: Row) =>
    void insert.run(number, `event_id ${event_id}, session_id ${session_id}`, Buffer.from(hash, 'latin1'));
  database.transaction(() => visit(add))();
}

function listOf(database: Database.Database, [title, place, rows]: (typeof KINDS)[number]): string[] {
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get()!;
  if (count === 0) return [];
  const select = `SELECT '  ${place} ' || number || ', ' || ids FROM ${rows} ORDER BY number LIMIT ${SHOWN}`;
  const shown = database.prepare<[], string>(select).pluck().all();
  return [`${title}: ${count}${count > SHOWN ? `, the first ${SHOWN}` : ''}`, ...shown];
}
