/**
 * Records which ids each hour has, so that `since` and `until` need no index.
 *
 * Invariant: the hour of the newest group has no end, so that the groups after its first write nothing. Any other hour
 * has its end.
 */
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';

/** The end of the open hour. It is above every id. */
export const NO_END = 9_007_199_254_740_992;

/** The hour of the newest group. */
export class Hours {
  private readonly end: Statement;
  private readonly upsert: Statement;
  /** `undefined` before the first group, and after a rollback or a deletion. */
  private open: number | undefined;

  constructor(db: Connection) {
    this.end = db.prepare<unknown[]>(inOrder(QUERIES.endHour));
    this.upsert = db.prepare<unknown[]>(inOrder(QUERIES.upsertHour));
  }

  /** Records that a group begins with this id. `hour` is its hour in Unix seconds. */
  beginGroup(hour: number, firstId: number): void {
    if (this.open === hour) return;
    this.end.run(firstId - 1, NO_END);
    this.upsert.run(hour, firstId, NO_END);
    this.open = hour;
  }

  /** Drops what a transaction without a commit may have changed. */
  forget(): void {
    this.open = undefined;
  }
}
