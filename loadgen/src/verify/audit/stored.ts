/**
 * Reads the rows of a stopped server's file, through the view `events_readable` alone.
 *
 * Invariants: the tables below the view are not read, and the file does not change. A view with other columns than the
 * contract's is a failure, since some columns would not be compared.
 */
import Database from 'better-sqlite3';
import { BenchFailure } from '../../failure.ts';
import { CONSTANT_COLUMNS, hashConstants, hashRow, type Value, VIEW_COLUMNS } from './row.ts';

const CHUNK_ROWS = 1000;

/** Number of columns before the constant columns: `id`, `session_id` and `event_id`. */
const FIXED = 3;
const SELECT = `SELECT id, session_id, event_id, ${CONSTANT_COLUMNS.join(', ')} FROM events_readable
  WHERE id > ? ORDER BY id LIMIT ${CHUNK_ROWS}`;

export interface StoredRow {
  readonly id: number;
  readonly session_id: Value;
  readonly event_id: Value;
  readonly hash: string;
}

export class StoredFile {
  readonly #database: Database.Database;

  constructor(file: string) {
    this.#database = new Database(file, { readonly: true, fileMustExist: true });
    const columns = this.#database.pragma('table_info(events_readable)') as { readonly name: string }[];
    const found = columns.map((column) => column.name).join(' ');
    if (found === VIEW_COLUMNS.join(' ')) return;
    this.#database.close();
    throw new BenchFailure('audit_failed', `the view events_readable has other columns: ${found || 'none'}`);
  }

  visit(visitor: (row: StoredRow) => void): void {
    const select = this.#database.prepare<[number], Value[]>(SELECT).raw();
    for (let above = 0; ; ) {
      const rows = select.all(above);
      for (const row of rows) {
        const hash = hashRow(hashConstants(row, FIXED), row[1]!, row[2]!);
        visitor({ id: row[0] as number, session_id: row[1]!, event_id: row[2]!, hash });
      }
      if (rows.length < CHUNK_ROWS) return;
      above = rows.at(-1)![0] as number;
    }
  }

  close(): void {
    this.#database.close();
  }
}
