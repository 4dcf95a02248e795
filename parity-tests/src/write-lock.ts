/** Holds SQLite's write lock of a database in another process, so that a server's writer must wait. */
import Database from 'better-sqlite3';

export interface WriteLock {
  /** Releases the writer; may be called more than once. */
  release(): void;
}

export function holdWriteLock(file: string): WriteLock {
  const db = new Database(file, { fileMustExist: true, timeout: 2_000 });
  db.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      if (!db.open) return;
      db.exec('ROLLBACK');
      db.close();
    },
  };
}
