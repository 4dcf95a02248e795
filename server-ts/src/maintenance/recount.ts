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
import {
  EVENT_ID,
  figuresOf,
  hourOfRow,
  ID,
  namesOf,
  RowSums,
  SESSION,
  type Value,
} from '../store/row-sums.ts';

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
  /** The first and the last id of each hour. */
  readonly hours = new Map<number, [first: number, last: number]>();
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
    for (const row of figuresOf(db, 0, LIMITS.max_integer, null)) {
      const [id, session] = [Number(row[ID]), Number(row[SESSION])];
      const names = namesOf(row).filter((name) => name !== undefined);
      count.events++;
      for (const name of names) count.names.add(name);
      count.sums.add(row);
      count.addIds(row, id, session);
      lists.load(id);
      const isListed = names.every((name) => lists.names.has(name)) && lists.sessions.has(session);
      if (!isListed) count.missingInBlocks++;
      const { spanNames } = lists;
      if (spanNames !== undefined && !names.every((name) => spanNames.has(name))) count.missingInSpans++;
      const key = row[EVENT_ID];
      if ((typeof key === 'string' || Buffer.isBuffer(key)) && keys.insert(key)) count.missingKeys++;
    }
    return count;
  }

  private addIds(row: readonly Value[], id: number, session: number): void {
    const ofSession = this.sessions.get(session) ?? { firstId: id, lastId: id };
    this.sessions.set(session, ofSession);
    ofSession.lastId = id;
    const hour = hourOfRow(row);
    const ids = this.hours.get(hour);
    if (ids === undefined) this.hours.set(hour, [id, id]);
    else ids[1] = id;
  }
}

/** The lists of the current block, and of its span. */
class Lists {
  names: ReadonlySet<number> = new Set();
  sessions: ReadonlySet<number> = new Set();
  /** `undefined` matches any name. */
  spanNames: ReadonlySet<number> | undefined;
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
    const [names, sessions] = (this.selectBlock.get(block) ?? []) as Buffer[];
    this.names = names === undefined ? new Set() : fromBytes(names);
    this.sessions = sessions === undefined ? new Set() : fromBytes(sessions);
    const span = Math.floor(block / LIMITS.event_span_blocks);
    if (span === this.span) return;
    this.span = span;
    const row = this.selectSpan.get(span) as (Buffer | null)[] | undefined;
    const stored = row?.[0];
    if (stored === undefined) this.spanNames = new Set();
    else this.spanNames = stored === null ? undefined : fromBytes(stored);
  }
}
