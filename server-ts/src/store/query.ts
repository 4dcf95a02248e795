/**
 * Reads events and health by the contract's statements.
 *
 * Belongs to a reader's thread. A filter on a name or a session that does not exist finds nothing; "no bound"
 * is 0 below and 2^53 above. Every read that needs more than one statement runs in one transaction, so that
 * it sees one state of the file. Knows nothing of HTTP or of JSON text.
 */
import { type FieldName, NAME_KINDS, TEXT_FILTERS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import type { StoredRow } from '../render/stored.ts';
import type { EventRow } from '../render.ts';
import { type Connection, Numbered, type Statement, withSmallCache } from './connection.ts';

/** Wanted values by field; absent is any. */
type FieldFilter = Readonly<Partial<Record<FieldName, string | undefined>>>;

export interface EventFilter {
  readonly fields: FieldFilter;
  readonly sessionId?: string | undefined;
  /** Unix milliseconds; since is inclusive, until exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Ids above. */
  readonly after?: number | undefined;
  /** Ids below. */
  readonly before?: number | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether more rows follow. */
  readonly more: boolean;
}

/** Above every id and every hour. */
export const NO_UPPER_BOUND = 9_007_199_254_740_992;
/** The number of a name that no event has. */
export const NOBODY = 0;

export class Queries {
  private readonly db: Connection;
  /** Milliseconds without events after which a session is idle. */
  readonly timeoutMs: number;
  /** Milliseconds after which a wait is stale. */
  readonly staleMs: number;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly statements = new Map<string, Numbered>();

  constructor(db: Connection, sessionTimeoutMinutes: number, waitingStaleHours: number) {
    this.db = db;
    this.begin = db.prepare('BEGIN');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    this.timeoutMs = sessionTimeoutMinutes * 60_000;
    this.staleMs = waitingStaleHours * 3_600_000;
  }

  /** Runs reads that belong together on one state of the file; one at a time. */
  consistently<T>(read: () => T): T {
    try {
      this.begin.run();
      const result = read();
      this.commit.run();
      return result;
    } catch (error) {
      // After some errors SQLite has rolled back by itself.
      if (this.db.inTransaction) this.rollback.run();
      throw error;
    }
  }

  listEvents(filter: EventFilter): Page<EventRow> {
    const values = this.eventValues(filter, filter.limit + 1);
    const rows = values === undefined ? [] : (this.eventsBy(filter).all(...values) as EventRow[]);
    const more = rows.length > filter.limit;
    return { rows: more ? rows.slice(0, filter.limit) : rows, more };
  }

  /** Rows one by one, as many as `count`; the caller may stop before the end. */
  *events(filter: EventFilter, count: number): Generator<EventRow> {
    const values = this.eventValues(filter, count);
    if (values !== undefined) yield* this.eventsBy(filter).iterate(...values) as IterableIterator<EventRow>;
  }

  /** A page of rows as they are stored. */
  listStored(filter: EventFilter): Page<StoredRow> {
    const values = this.eventValues(filter, filter.limit + 1);
    const rows = values === undefined ? [] : (this.storedBy(filter).all(...values) as StoredRow[]);
    const more = rows.length > filter.limit;
    return { rows: more ? rows.slice(0, filter.limit) : rows, more };
  }

  /** Rows as they are stored, one by one, as many as `count`; the caller may stop before the end. */
  *storedEvents(filter: EventFilter, count: number): Generator<StoredRow> {
    const values = this.eventValues(filter, count);
    if (values !== undefined) yield* this.storedBy(filter).iterate(...values) as IterableIterator<StoredRow>;
  }

  /** How many events have an id above `since` and up to `newest`, counted up to `most`. */
  countSince(since: number, newest: number, most: number): number {
    return this.pluck(QUERIES.selectCountSince, since, newest, most) ?? 0;
  }

  /** Has the parameters of the statement of `eventsBy`. */
  private storedBy({ order }: EventFilter): Numbered {
    const sql = order === 'asc' ? QUERIES.selectEventColumnsOldest : QUERIES.selectEventColumnsNewest;
    return this.prepared(sql, true);
  }

  private eventsBy({ order }: EventFilter): Numbered {
    return this.prepared(order === 'asc' ? QUERIES.selectEventsOldest : QUERIES.selectEventsNewest, true);
  }

  /** The parameters of the statements for pages of events; nothing where no event can match. */
  private eventValues(filter: EventFilter, limit: number): unknown[] | undefined {
    const { fields, sessionId, since, until, after: above = 0, before: below = NO_UPPER_BOUND } = filter;
    const wanted: Record<string, unknown> = { above, below, limit, since, until };
    if (sessionId !== undefined) {
      wanted.session = this.pluck(QUERIES.selectSessionKey, sessionId);
      if (wanted.session === null) return undefined;
    }
    for (const kind of NAME_KINDS) {
      const name = fields[kind];
      if (name === undefined) continue;
      wanted[kind] = this.nameId(kind, name);
      if (wanted[kind] === NOBODY) return undefined;
    }
    for (const field of TEXT_FILTERS) wanted[field] = fields[field];
    return this.eventsBy(filter).valuesOf(wanted);
  }

  getEvent(id: number): EventRow | undefined {
    return this.prepared(QUERIES.selectEvent, true).get(id) as EventRow | undefined;
  }

  /** The newest event's id; 0 before there is one. */
  newestRevision(): number {
    return this.pluck(QUERIES.selectLastEventId) ?? 0;
  }

  epoch(): string {
    return String((this.prepared(QUERIES.selectEpoch, true).get() as readonly string[])[0]);
  }

  pragma(name: string): unknown {
    return this.db.pragma(name, { simple: true });
  }

  /** What `PRAGMA quick_check` finds; `ok` when it finds nothing. */
  quickCheck(): string {
    return withSmallCache(this.db, () => String(this.db.pragma('quick_check(1)', { simple: true })));
  }

  sqliteVersion(): string {
    return String(this.db.prepare('SELECT sqlite_version()').pluck().get());
  }

  /** The number of a name, null for any; `NOBODY` when no event has it. */
  filterId(kind: string, name: string | undefined): number | null {
    return name === undefined ? null : this.nameId(kind, name);
  }

  private nameId(kind: string, name: string): number {
    return this.pluck(QUERIES.selectName, kind, name) ?? NOBODY;
  }

  /** The only column of the only row; null where there is no row. */
  pluck(sql: string, ...values: readonly unknown[]): number | null {
    const row = this.prepared(sql, true).get(...values) as readonly [number] | undefined;
    return row === undefined ? null : row[0];
  }

  prepared(sql: string, raw = false): Numbered {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = new Numbered(this.db, sql, raw);
    this.statements.set(sql, statement);
    return statement;
  }
}
