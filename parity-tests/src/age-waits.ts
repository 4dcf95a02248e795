/** Moves sessions and their waits into the past, in a file that no server has open, so that a test need not wait. */
import Database from 'better-sqlite3';

export function ageWaits(file: string, ms: number): void {
  const db = new Database(file, { fileMustExist: true });
  db.prepare(
    `UPDATE sessions SET started_at = started_at - ?1, last_event_at = last_event_at - ?1, live_at = live_at - ?1`,
  ).run({ 1: ms });
  db.prepare('UPDATE session_waits SET since = since - ?').run(ms);
  db.close();
}
