/**
 * Summarises 256 rows: their names and sessions in two short lists, and their times. So a page with a rare filter reads
 * few blocks, and no column needs an index.
 *
 * Invariant: every number and every time that a row of a block has is in the block's summary, which the row's own
 * transaction writes. A superfluous number costs a read; a missing one would hide a row.
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import { EventSpans } from './event-spans.ts';
import { fromBytes, toBytes } from './number-list.ts';

const NONE = -1;

/** The smallest and the largest of some times; null without one. */
export type TimeRange = readonly [first: number, last: number] | readonly [first: null, last: null];

const NO_TIMES: TimeRange = [null, null];

/** The summary of the current block. */
export class EventBlocks {
  private readonly select: Statement;
  private readonly upsert: Statement;
  private readonly spans: EventSpans;
  private id = NONE;
  private names = new Set<number>();
  private sessions = new Set<number>();
  /** Of the rows that are not late. */
  private times = NO_TIMES;
  private lateTimes = NO_TIMES;

  constructor(db: Connection) {
    this.select = db.prepare<unknown[]>(inOrder(QUERIES.selectEventBlock)).raw() as Statement;
    this.upsert = db.prepare<unknown[]>(inOrder(QUERIES.upsertEventBlock));
    this.spans = new EventSpans(db);
  }

  /** Adds a row; `addName` adds its other names. */
  beginRow(eventId: number, agentType: number, session: number): void {
    const id = Math.floor(eventId / LIMITS.event_block_rows);
    if (id !== this.id) {
      this.flush();
      this.load(id);
    }
    this.names.add(agentType);
    this.sessions.add(session);
  }

  /** Adds a name of the current row. */
  addName(name: number): void {
    this.names.add(name);
  }

  /** Adds the time of the current row. */
  addTime(time: number, isLate: boolean): void {
    if (isLate) this.lateTimes = withTime(this.lateTimes, time);
    else this.times = withTime(this.times, time);
  }

  /** Writes the current block, and its span. */
  flush(): void {
    if (this.id === NONE) return;
    this.upsert.run(this.id, toBytes(this.names), toBytes(this.sessions), ...this.times, ...this.lateTimes);
    this.spans.addBlock(this.id, this.names);
  }

  /** Drops the additions of a transaction that was rolled back. */
  forget(): void {
    this.id = NONE;
    this.spans.forget();
  }

  /** Loads the block, or creates an empty one. */
  private load(id: number): void {
    const row = this.select.get(id) as readonly [Buffer, Buffer, ...(number | null)[]] | undefined;
    this.id = id;
    this.names = row === undefined ? new Set() : fromBytes(row[0]);
    this.sessions = row === undefined ? new Set() : fromBytes(row[1]);
    this.times = row === undefined ? NO_TIMES : (row.slice(2, 4) as unknown as TimeRange);
    this.lateTimes = row === undefined ? NO_TIMES : (row.slice(4, 6) as unknown as TimeRange);
  }
}

function withTime([first, last]: TimeRange, time: number): TimeRange {
  return first === null ? [time, time] : [Math.min(first, time), Math.max(last, time)];
}
