/**
 * Computes the sums and summaries of a database again, from its events (rule BAK-06).
 *
 * One pass over the events, oldest first. The memory grows with the sessions and the names, not with the events.
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from '../store/connection.ts';
import { EventKeys } from '../store/event-keys.ts';
import { fromBytes } from '../store/number-list.ts';
import { EVENT_ID, figuresOf, ID, LATE, namesOf, RowSums, SESSION, timeOfRow } from '../store/row-sums.ts';

/** The ids of the first and the last event of a session. */
export interface SessionCount {
  readonly firstId: number;
  lastId: number;
}

/** What the events of a database say. */
export class Recount {
  events = 0;
  readonly names = new Set<number>();
  readonly sessions = new Map<number, SessionCount>();
  readonly sums: RowSums;
  /** Number of events that are late and do not say so. */
  wrongOrder = 0;
  /** Number of events whose block, span or keys lack them. */
  missingInBlocks = 0;
  missingInSpans = 0;
  missingKeys = 0;

  private constructor(sums: RowSums) {
    this.sums = sums;
  }

  /** Reads every event. */
  static read(db: Connection): Recount {
    const count = new Recount(new RowSums(db));
    const keys = new EventKeys(db);
    const lists = new Lists(db);
    let lastTime = Number.NEGATIVE_INFINITY;
    for (const row of figuresOf(db, 0, LIMITS.max_integer, null)) {
      const [id, session] = [Number(row[ID]), Number(row[SESSION])];
      const names = namesOf(row).filter((name) => name !== undefined);
      count.events++;
      for (const name of names) count.names.add(name);
      count.sums.add(row);
      count.addIds(id, session);
      const [time, isLate] = [timeOfRow(row), row[LATE] === 1n];
      // A deleted row may have been later than this one.
      if (time < lastTime && !isLate) count.wrongOrder++;
      if (!isLate) lastTime = time;
      lists.load(id);
      const isListed =
        names.every((name) => lists.names.has(name)) &&
        lists.sessions.has(session) &&
        hasTime(lists.times, time, isLate);
      if (!isListed) count.missingInBlocks++;
      const { spanNames, spanTimes } = lists;
      const isInSpan = spanNames === undefined || names.every((name) => spanNames.has(name));
      if (!isInSpan || !hasTime(spanTimes, time, isLate)) count.missingInSpans++;
      const key = row[EVENT_ID];
      if ((typeof key === 'string' || Buffer.isBuffer(key)) && keys.insert(key)) count.missingKeys++;
    }
    return count;
  }

  private addIds(id: number, session: number): void {
    const ofSession = this.sessions.get(session) ?? { firstId: id, lastId: id };
    this.sessions.set(session, ofSession);
    ofSession.lastId = id;
  }
}

/** The times that a summary has: the smallest and the largest of rows that are not late, then of late rows. */
type Times = readonly (number | null)[];

/** Returns whether a summary has the time of a row. The newest span has every time. */
function hasTime(times: Times, time: number, isLate: boolean): boolean {
  const within = (first: number | null = null, last: number | null = null): boolean =>
    first !== null && last !== null && first <= time && time <= last;
  return within(times[0], times[1]) || (isLate && within(times[2], times[3]));
}

/** The lists of the current block, and of its span. */
class Lists {
  names: ReadonlySet<number> = new Set();
  sessions: ReadonlySet<number> = new Set();
  times: Times = [];
  /** `undefined` matches any name. */
  spanNames: ReadonlySet<number> | undefined;
  spanTimes: Times = [];
  private readonly selectBlock: Statement;
  private readonly selectSpan: Statement;
  private block = -1;
  private span = -1;

  constructor(db: Connection) {
    this.selectBlock = db.prepare<unknown[]>(inOrder(QUERIES.selectEventBlock)).raw();
    this.selectSpan = db.prepare<unknown[]>(inOrder(QUERIES.selectEventSpan)).raw();
  }

  /** Loads the lists of the block and of the span of an event. */
  load(id: number): void {
    const block = Math.floor(id / LIMITS.event_block_rows);
    if (block === this.block) return;
    this.block = block;
    const row = (this.selectBlock.get(block) ?? []) as readonly unknown[];
    const [names, sessions] = row as readonly (Buffer | undefined)[];
    this.times = row.slice(2) as Times;
    this.names = names === undefined ? new Set() : fromBytes(names);
    this.sessions = sessions === undefined ? new Set() : fromBytes(sessions);
    const span = Math.floor(block / LIMITS.event_span_blocks);
    if (span === this.span) return;
    this.span = span;
    const found = (this.selectSpan.get(span) ?? []) as readonly unknown[];
    const stored = found[0] as Buffer | null | undefined;
    this.spanTimes = found.slice(1) as Times;
    if (stored === undefined) this.spanNames = new Set();
    else this.spanNames = stored === null ? undefined : fromBytes(stored);
  }
}
