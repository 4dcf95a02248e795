/** Moves the events of a closed database in time, as if the clock had been wrong when they came. */
import Database from 'better-sqlite3';

/** The last second that a timestamp can have. The sums of all time are above it. */
const LAST_SECOND = 253_402_300_799;
/** The columns with the times of rows. Those of a span that has every time are far below and above. */
const SUMMARIES = ['first_time', 'last_time', 'first_late', 'last_late'];
const EVERY_TIME = 9_007_199_254_740_992;
const HOUR_S = 3_600;

/** Moves every stored event by some hours, in whole quarters. */
export function moveHours(file: string, hours: number): void {
  const db = new Database(file);
  const seconds = hours * HOUR_S;
  db.transaction(() => {
    db.prepare('UPDATE events SET created_at = created_at + ? * 1000').run(seconds);
    for (const column of SUMMARIES) {
      db.prepare(`UPDATE event_blocks SET ${column} = ${column} + ? * 1000`).run(seconds);
      db.prepare(
        `UPDATE event_spans SET ${column} = ${column} + ? * 1000 WHERE abs(${column}) < ${EVERY_TIME}`,
      ).run(seconds);
    }
    // Through negative quarters, so that a moved quarter never meets one that is still to be moved.
    db.prepare(`UPDATE stats SET quarter = -2 - quarter WHERE quarter BETWEEN 0 AND ${LAST_SECOND}`).run();
    db.prepare('UPDATE stats SET quarter = -2 - quarter + ? WHERE quarter < 0').run(seconds);
    db.prepare("UPDATE meta SET value = value + CAST(? AS INTEGER) WHERE key = 'open_quarter'").run(seconds);
  })();
  db.close();
}
