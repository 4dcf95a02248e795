/**
 * The table alone: rows that were stored before, inserted again as they are, with what they refer to.
 *
 * No keys of ids, no summaries, no sums, no index of sessions. What must stay true: the statement, the pragmas and the
 * rule for checkpoints are the server's; reading the rows is not timed.
 */
import { QUERIES } from '../src/queries.ts';
import type { Checkpointer } from '../src/store/checkpoint.ts';
import { type Connection, inOrder, openRaw } from '../src/store/connection.ts';
import { Totals } from './totals.ts';

/** So many groups are read before they are inserted. */
const CHUNK_GROUPS = 8;
/** Rows whose values are in the order of the parameters of the insert. */
const [, COLUMNS = '*'] = QUERIES.insertEvent.split(/[()]/);
const SELECT_ROWS = `SELECT ${COLUMNS} FROM events WHERE id > ? ORDER BY id LIMIT ?`;

type Row = readonly unknown[];

/** Stores the rows of `stored`, `group` of them in a transaction. */
export function storeRows(db: Connection, checkpointer: Checkpointer, stored: string, group: number): Totals {
  const source = openRaw(stored, undefined, true);
  try {
    for (const table of ['names', 'sessions']) copyTable(source, db, table);
    const select = source.prepare<unknown[], Row>(SELECT_ROWS).raw();
    const totals = new Totals();
    let after: unknown = 0;
    for (;;) {
      const chunk = select.all(after, CHUNK_GROUPS * group);
      if (chunk.length === 0) return totals;
      after = chunk.at(-1)![0];
      insertRows(db, checkpointer, chunk, group, totals);
    }
  } finally {
    source.close();
  }
}

function copyTable(source: Connection, db: Connection, table: string): void {
  const select = source.prepare<unknown[], Row>(`SELECT * FROM ${table}`);
  const places = select.columns().map(() => '?');
  const insert = db.prepare(`INSERT INTO ${table} VALUES (${places.join(', ')})`);
  for (const row of select.raw().iterate()) insert.run(row);
}

/** All of it is timed, and nothing else is. */
function insertRows(
  db: Connection,
  checkpointer: Checkpointer,
  chunk: readonly Row[],
  group: number,
  totals: Totals,
): void {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const insert = db.prepare(inOrder(QUERIES.insertEvent));
  for (let first = 0; first < chunk.length; first += group) {
    db.exec('BEGIN IMMEDIATE');
    for (let at = first; at < Math.min(first + group, chunk.length); at++) insert.run(chunk[at]);
    db.exec('COMMIT');
    checkpointer.afterGroup();
  }
  totals.wallMs += performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  totals.cpuUs += user + system;
  totals.events += chunk.length;
  totals.stored += chunk.length;
}
