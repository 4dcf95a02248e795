/**
 * A copy of a stopped server's file with other rows. The view `events_readable` becomes a table, so that SQL can change
 * its rows in any way.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { folder } from './scratch.ts';

const AS_TABLE = `CREATE TABLE readable AS SELECT * FROM events_readable; DROP VIEW events_readable;
  ALTER TABLE readable RENAME TO events_readable;`;

/** Returns the path of the copy. The next call replaces it. */
export function changedFile(file: string, sql: string): string {
  const copy = join(folder, 'changed.db');
  copyFileSync(file, copy);
  const database = new Database(copy);
  database.exec(AS_TABLE + sql);
  database.close();
  return copy;
}
