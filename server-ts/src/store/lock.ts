/**
 * Lets one server at a time use a database (rule STO-02).
 *
 * `FILE.lock` is a SQLite file held in `BEGIN EXCLUSIVE`. A separate file leaves readers of the database free.
 * SQLite's own lock works alike in both servers without native code, and a crash releases it.
 */
import { closeSync, openSync } from 'node:fs';
import { type Connection, OpenError, openRaw, unusable } from './connection.ts';
import { sqliteCode } from './failure.ts';
import { readOwner, removeOwner } from './owner.ts';

export class Lock {
  private readonly database: string;
  private readonly db: Connection;

  private constructor(database: string, db: Connection) {
    this.database = database;
    this.db = db;
  }

  /** Takes the lock at once or fails; `path` is the path of the database. */
  static acquire(path: string, nativeBinding: string | undefined): Lock {
    const lockPath = `${path}.lock`;
    let db: Connection | undefined;
    try {
      closeSync(openSync(lockPath, 'a', 0o600));
      db = openRaw(lockPath, nativeBinding, false);
      db.exec('BEGIN EXCLUSIVE');
      // After a crash the file still names a process that no longer holds the lock.
      removeOwner(path);
      return new Lock(path, db);
    } catch (error) {
      db?.close();
      throw refusal(error, path);
    }
  }

  release(): void {
    removeOwner(this.database);
    this.db.close();
  }
}

/** Returns the error for a refused lock. It names the server that holds the lock, if known (rule STO-11). */
function refusal(error: unknown, path: string): OpenError {
  if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) return unusable(error, path);
  return OpenError.locked(path, readOwner(path));
}
