/**
 * Computes the sums and summaries of a database again, from its events (rule BAK-06).
 *
 * One pass over the events, oldest first. The memory grows with the sessions and the names, not with the events. Sums
 * are BigInt: they may pass 2^53-1.
 */
import { LIMITS } from '../contract.ts';
import { NAME_KINDS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from '../store/connection.ts';
import { EventKeys } from '../store/event-keys.ts';
import { fromBytes } from '../store/number-list.ts';
import { ALL_TIME, EVERY_EVENT, openHour } from '../store/stats.ts';

/** Columns of `select_event_figures.sql`. */
const [ID, CREATED_AT, SESSION, EVENT_ID, DURATION, TOKENS, COSTS, NAMES] = [
  0, 1, 2, 3, 4, 5, 9, 11,
] as const;

/** The largest integer of SQLite, where sums stop (rule STA-06). */
const LARGEST = 9_223_372_036_854_775_807n;

const HOUR_MS = 3_600_000n;

/** What the events say of a session. The sums: events, errors, four token counts, two costs. */
export interface SessionCount {
  readonly firstId: number;
  lastId: number;
  readonly sums: bigint[];
}

/** A value of a row that was read with `safeIntegers`. */
type Value = bigint | string | Buffer | null;

/** What the events of a database say. */
export class Recount {
  events = 0;
  readonly names = new Set<number>();
  readonly sessions = new Map<number, SessionCount>();
  /**
   * By hour, name and agent, joined by a space. The sums: events, calls, errors, durations, milliseconds, two token
   * counts, two costs.
   */
  readonly stats = new Map<string, bigint[]>();
  /** The first and the last id of each hour. */
  readonly hours = new Map<number, [first: number, last: number]>();
  /** Number of events whose block, span or keys lack them. */
  missingInBlocks = 0;
  missingInSpans = 0;
  missingKeys = 0;
  /** The hour whose sums are not in those of all time. */
  private readonly openHour: number;

  private constructor(openHour: number) {
    this.openHour = openHour;
  }

  /** Reads every event. */
  static read(db: Connection): Recount {
    const count = new Recount(openHour(db));
    const name = db.prepare<unknown[]>(inOrder(QUERIES.selectName)).pluck();
    const error = name.get('status', 'error') as number | undefined;
    const step = name.get('event_type', 'plan_step') as number | undefined;
    const keys = new EventKeys(db);
    const lists = new Lists(db);
    for (const row of db.prepare(QUERIES.selectEventFigures).raw().safeIntegers().iterate() as Iterable<
      Value[]
    >) {
      const [id, session] = [Number(row[ID]), Number(row[SESSION])];
      const ids = row.slice(NAMES).map((name) => (name === null ? undefined : Number(name)));
      const names = ids.filter((name) => name !== undefined);
      count.events++;
      for (const name of names) count.names.add(name);
      count.addSums(row, id, session, ids, error, step);
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

  private addSums(
    row: readonly Value[],
    id: number,
    session: number,
    names: readonly (number | undefined)[],
    error: number | undefined,
    step: number | undefined,
  ): void {
    const number = (at: number): bigint => (row[at] as bigint | null) ?? 0n;
    const isError = error !== undefined && names[NAME_KINDS.indexOf('status')] === error ? 1n : 0n;
    const isStep = step !== undefined && names[NAME_KINDS.indexOf('event_type')] === step;
    const agent = names[NAME_KINDS.indexOf('agent_type')] ?? 0;
    const hour = Number(number(CREATED_AT) / HOUR_MS) * 3600;
    const [tokensIn, tokensOut] = [number(TOKENS), number(TOKENS + 1)];
    const cached = [number(TOKENS + 2), number(TOKENS + 3)];
    const costs = [number(COSTS), number(COSTS + 1)];

    const ofSession = this.sessions.get(session) ?? { firstId: id, lastId: id, sums: [] };
    this.sessions.set(session, ofSession);
    ofSession.lastId = id;
    add(ofSession.sums, [1n, isError, tokensIn, tokensOut, ...cached, ...costs]);

    const ids = this.hours.get(hour);
    if (ids === undefined) this.hours.set(hour, [id, id]);
    else ids[1] = id;

    const hasDuration = row[DURATION] === null ? 0n : 1n;
    const figures = [1n, 0n, isError, hasDuration, number(DURATION), tokensIn, tokensOut, ...costs];
    for (const when of hour === this.openHour ? [hour] : [hour, ALL_TIME]) {
      this.addStats(when, EVERY_EVENT, agent, figures);
      for (const [at, name] of names.entries()) {
        const kind = NAME_KINDS[at];
        if (name === undefined || kind === 'agent_type') continue;
        if (kind !== 'tool_name') this.addStats(when, name, agent, figures);
        else if (isStep) this.addStats(when, name, agent, [1n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n]);
        else this.addStats(when, name, agent, figures.with(1, 1n));
      }
    }
  }

  private addStats(hour: number, name: number, agent: number, figures: readonly bigint[]): void {
    const key = `${hour} ${name} ${agent}`;
    const sums = this.stats.get(key) ?? [];
    this.stats.set(key, sums);
    add(sums, figures);
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

/** Adds figures; a sum stops at the largest integer (rule STA-06). */
function add(sums: bigint[], figures: readonly bigint[]): void {
  for (const [at, figure] of figures.entries()) {
    const sum = (sums[at] ?? 0n) + figure;
    sums[at] = sum > LARGEST ? LARGEST : sum;
  }
}
