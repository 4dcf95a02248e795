/**
 * The schema of a file, brought up to date: the steps of the contract, and what SQL alone cannot move.
 *
 * What must stay true: a step that was published never changes; a file is at its old version or at the newest,
 * never in between, so that a server that is killed meanwhile starts again from the same file.
 */
import { MIGRATIONS } from '../contract.ts';
import type { Connection } from './connection.ts';
import { EventKeys } from './event-keys.ts';

/** The step behind which keys are moved by code. */
const SORTED_KEYS = 2;

/** Brings the schema up to date, all steps in one transaction. */
export function migrate(db: Connection): void {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found >= MIGRATIONS.length) return;
  db.transaction(() => {
    for (let step = found + 1; step <= MIGRATIONS.length; step++) {
      db.exec(MIGRATIONS[step - 1]!);
      if (step === SORTED_KEYS) EventKeys.takeOver(db);
      db.pragma(`user_version = ${step}`);
    }
  }).immediate();
}
