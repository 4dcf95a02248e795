/**
 * Creates a database with the schema (rule STO-10). `connection` refuses a file with another schema.
 *
 * Invariant: a new database has its name only when its schema is whole and synced. So a file of no bytes next to the lock
 * was cut, and is no database that a kill left (rule PRO-06).
 */
import { rmSync, statSync } from 'node:fs';
import { FILE_PRAGMAS, SCHEMA, SCHEMA_SQL } from '../contract.ts';
import { type Connection, OpenError, openRaw } from './connection.ts';
import { abandonCopy, beginFile, CopyError, finishFile } from './copy.ts';
import { addSealedTextFunctions } from './sealed-texts.ts';
import { addWholeTextFunctions } from './whole-texts.ts';

/** Creates the database at `path` if the file is missing or has no bytes. Call it with the lock. */
export function createDatabase(path: string, nativeBinding: string | undefined): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.size > 0) return;
  rmSync(path, { force: true });
  try {
    createPartial(beginFile(path), nativeBinding).close();
    finishFile(path);
  } catch (error) {
    abandonCopy(path);
    if (error instanceof CopyError) throw OpenError.of('unusable', { path, reason: error.code });
    throw error;
  }
}

/** Creates the schema in the file of `beginFile`, with the pragmas of a new file. */
export function createPartial(partial: string, nativeBinding: string | undefined): Connection {
  const db = openRaw(partial, nativeBinding, false);
  try {
    db.exec(FILE_PRAGMAS);
    createSchema(db);
    addSealedTextFunctions(db);
    addWholeTextFunctions(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Creates the schema in one transaction, unless the file has it. */
export function createSchema(db: Connection): void {
  if (db.pragma('user_version', { simple: true }) === SCHEMA.number) return;
  db.transaction(() => {
    db.exec(SCHEMA_SQL);
    db.pragma(`user_version = ${SCHEMA.number}`);
  }).immediate();
}
