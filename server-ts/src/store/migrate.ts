/**
 * Brings a file to the newest schema by the steps of the contract (rule STO-10).
 *
 * Invariant: after a release a step never changes. All steps run in one transaction, so a file has its old schema or
 * the newest one, even after a kill in the middle.
 */
import type { Connection } from './connection.ts';

/** Runs the steps that the file lacks. `steps[N - 1]` leads from schema N - 1 to N; a new file has schema 0. */
export function migrate(db: Connection, steps: readonly string[]): void {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found >= steps.length) return;
  db.transaction(() => {
    for (const step of steps.slice(found)) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
  }).immediate();
}
