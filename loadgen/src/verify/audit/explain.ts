/**
 * Names the rows that make an audit fail. A row with other columns is in both lists.
 *
 * Both sides go into a temporary database, so that memory stays bounded. It runs only after a failure, so it need not
 * be fast.
 */
import Database from 'better-sqlite3';
import type { Range } from '../../load/bodies.ts';
import type { Expected } from './expected.ts';
import type { StoredFile, StoredRow } from './stored.ts';

const SHOWN = 5;

type Row = Omit<StoredRow, 'id'>;

export function explain(expected: Expected, stored: StoredFile, ranges: readonly Range[]): string[] {
  // A database without a name is a temporary file, which SQLite removes.
  const database = new Database('');
  const fill = (table: string, visit: (add: (number: number, row: Row) => void) => void): void => {
    database.exec(`CREATE TABLE ${table} (number INTEGER, ids, hash)`);
    const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
    const add = (number: number, { session_id, event_id, hash }: Row) =>
      void insert.run(number, `event_id ${event_id}, session_id ${session_id}`, Buffer.from(hash, 'latin1'));
    database.transaction(() => visit(add))();
  };
  try {
    fill('expected', (add) => expected.visit(ranges, (row) => add(row.index, row)));
    fill('stored', (add) => stored.visit((row) => add(row.id, row)));
    return [
      ...listOf('events that are not in the file', 'index', only(database, 'expected', 'stored')),
      ...listOf('rows that were not sent so', 'row', only(database, 'stored', 'expected')),
    ];
  } finally {
    database.close();
  }
}

interface Found {
  readonly number: number;
  readonly ids: string;
}

/** Returns the rows of one side that the other lacks. The nth of equal rows needs the nth equal row of the other. */
function only(database: Database.Database, side: string, other: string): Found[] {
  const numbered = (table: string) =>
    `SELECT *, row_number() OVER (PARTITION BY hash ORDER BY number) AS nth FROM ${table}`;
  return database
    .prepare<[], Found>(
      `WITH own AS (${numbered(side)}), others AS (${numbered(other)})
      SELECT number, ids FROM own WHERE (hash, nth) NOT IN (SELECT hash, nth FROM others) ORDER BY number`,
    )
    .all();
}

function listOf(title: string, place: string, found: readonly Found[]): string[] {
  if (found.length === 0) return [];
  const shown = found.slice(0, SHOWN).map(({ number, ids }) => `  ${place} ${number}, ${ids}`);
  return [`${title}: ${found.length}${found.length > SHOWN ? `, the first ${SHOWN}` : ''}`, ...shown];
}
