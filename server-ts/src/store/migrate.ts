/**
 * The schema of a file, brought up to date: all of it for a new file, the steps of the contract for an older one, and
 * what SQL alone cannot move.
 *
 * What must stay true: a step that was published never changes; a file is at its old version or at the newest,
 * never in between, so that a server that is killed meanwhile starts again from the same file.
 */
import { MIGRATIONS, SCHEMA, SCHEMA_VERSION } from '../contract.ts';
import type { Connection } from './connection.ts';
import { EventKeys } from './event-keys.ts';

/** The step behind which keys are moved by code. */
const SORTED_KEYS = 2;

/** Brings the schema up to date, in one transaction. */
export function migrate(db: Connection): void {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found >= SCHEMA_VERSION) return;
  db.transaction(() => {
    if (found === 0) db.exec(SCHEMA);
    else {
      for (let step = found + 1; step <= SCHEMA_VERSION; step++) {
        db.exec(MIGRATIONS[step - 2]!);
        if (step === SORTED_KEYS) EventKeys.takeOver(db);
      }
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}
