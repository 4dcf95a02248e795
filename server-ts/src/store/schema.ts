/** Creates the schema in an empty file (rule STO-10). `connection` refuses a file with another schema. */
import { SCHEMA, SCHEMA_SQL } from '../contract.ts';
import type { Connection } from './connection.ts';

/** Creates the schema in one transaction, unless the file has it. */
export function createSchema(db: Connection): void {
  if (db.pragma('user_version', { simple: true }) === SCHEMA.number) return;
  db.transaction(() => {
    db.exec(SCHEMA_SQL);
    db.pragma(`user_version = ${SCHEMA.number}`);
  }).immediate();
}
