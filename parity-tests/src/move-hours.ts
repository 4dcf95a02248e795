/** Moves the events of a closed database in time, as if the clock had been wrong when they came. */
import Database from 'better-sqlite3';

/** The last hour that a timestamp can have. The sums of all time are above it. */
const LAST_HOUR = 253_402_300_799;
const HOUR_S = 3_600;

/** Moves every stored event by some hours. */
export function moveHours(file: string, hours: number): void {
  const db = new Database(file);
  const seconds = hours * HOUR_S;
  db.transaction(() => {
    db.prepare('UPDATE events SET created_at = created_at + ? * 1000').run(seconds);
    for (const table of ['hours', 'stats']) {
      // Through negative hours, so that a moved hour never meets one that is still to be moved.
      db.prepare(`UPDATE ${table} SET hour = -2 - hour WHERE hour BETWEEN 0 AND ${LAST_HOUR}`).run();
      db.prepare(`UPDATE ${table} SET hour = -2 - hour + ? WHERE hour < 0`).run(seconds);
    }
    db.prepare("UPDATE meta SET value = value + CAST(? AS INTEGER) WHERE key = 'open_hour'").run(seconds);
  })();
  db.close();
}
