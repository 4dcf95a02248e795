/**
 * Measures the table alone: inserts existing rows unchanged, with the rows that they refer to.
 *
 * It writes no event keys, no summaries, no sums and no session index. Invariant: the statement, the pragmas and the
 * rule for checkpoints are the server's. Reading the rows is not timed.
 */
import { QUERIES } from '../src/queries.ts';
import type { Checkpointer } from '../src/store/checkpoint.ts';
import { type Connection, inOrder, openRaw } from '../src/store/connection.ts';
import { Totals } from './totals.ts';

/** Reads this many groups before it inserts them. */
const CHUNK_GROUPS = 8;
/** Selects rows whose values have the order of the insert's parameters. */
const [, COLUMNS = '*'] = QUERIES.insertEvent.split(/[()]/);
const SELECT_ROWS = `SELECT ${COLUMNS} FROM events WHERE id > ? ORDER BY id LIMIT ?`;

type Row = readonly unknown[];

/** Stores the rows of `stored`, `group` rows in a transaction. */
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

/** Inserts the rows; exactly this function is timed. */
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
