/**
 * Finds late rows: those whose time is before that of an earlier row.
 *
 * Invariant: rows that are not late have ascending times in the order of their ids. So only late rows need an index by
 * time (docs/decisions/0113-time-of-an-event.md). Belongs to the writer's thread.
 */
import { QUERIES } from '../queries.ts';
import type { Connection, Statement } from './connection.ts';

/** The largest time of the rows that are not late. */
export class LastTime {
  private readonly select: Statement;
  /** `undefined` before the first row, and after a rollback or a deletion. */
  private known: number | undefined;

  constructor(db: Connection) {
    this.select = db.prepare<unknown[]>(QUERIES.selectLastTime).pluck() as Statement;
  }

  /** Adds a row with this time; returns whether it is late. */
  add(time: number): boolean {
    const last = this.known ?? this.load() ?? time;
    this.known = Math.max(last, time);
    return time < last;
  }

  /** Drops what a transaction without a commit may have changed. */
  forget(): void {
    this.known = undefined;
  }

  private load(): number | undefined {
    const time = this.select.get() as number | null | undefined;
    return time ?? undefined;
  }
}
