/**
 * Lets one server at a time use a database (rule STO-02).
 *
 * `FILE.lock` is a SQLite file that is held in `BEGIN EXCLUSIVE`: a side file, so that readers of the database itself
 * are not shut out; SQLite's own lock, so that both servers understand each other without native code and a crash
 * releases it.
 */
import { closeSync, openSync } from 'node:fs';
import { type Connection, OpenError, openRaw, unusable } from './connection.ts';
import { sqliteCode } from './failure.ts';

export class Lock {
  private readonly db: Connection;

  private constructor(db: Connection) {
    this.db = db;
  }

  /** Takes the lock at once or fails; `path` is the database's. */
  static acquire(path: string, nativeBinding: string | undefined): Lock {
    const lockPath = `${path}.lock`;
    let db: Connection | undefined;
    try {
      closeSync(openSync(lockPath, 'a', 0o600));
      db = openRaw(lockPath, nativeBinding, false);
      db.exec('BEGIN EXCLUSIVE');
      return new Lock(db);
    } catch (error) {
      db?.close();
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw new OpenError('locked', { path });
      throw unusable(error, path);
    }
  }

  release(): void {
    this.db.close();
  }
}
