/** A temporary folder, changed files and a lifetime for the tests of one file. They end after the tests. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import Database from 'better-sqlite3';

export const lifetime = new Lifetime();
export const { path: folder } = await lifetime.temporaryFolder();

after(() => lifetime.end());

const AS_TABLE = `CREATE TABLE readable AS SELECT * FROM events_readable; DROP VIEW events_readable;
  ALTER TABLE readable RENAME TO events_readable;`;

/**
 * Returns the path of a copy of a stopped server's file, with other rows. The view `events_readable` becomes a table, so
 * that SQL can change its rows in any way. The next call replaces the copy.
 */
export function changedFile(file: string, sql: string): string {
  const copy = join(folder, 'changed.db');
  copyFileSync(file, copy);
  const database = new Database(copy);
  database.exec(AS_TABLE + sql);
  database.close();
  return copy;
}
