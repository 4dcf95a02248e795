/**
 * Reads events and health by the contract's statements.
 *
 * Belongs to a reader's thread. A filter on an unknown name or session finds nothing. "No bound" is 0 below and 2^53
 * above. Every read with more than one statement runs in one transaction, so that it sees one state of the file.
 * Knows nothing of HTTP or of JSON text.
 */
import type { FieldName } from '../field.ts';
import { QUERIES } from '../queries.ts';
import type { EventRow } from '../render.ts';
import { type Connection, Numbered, type Statement, withSmallCache } from './connection.ts';

/** Required values by field; an absent member matches any value. */
type FieldFilter = Readonly<Partial<Record<FieldName, string | undefined>>>;

export interface EventFilter {
  readonly fields: FieldFilter;
  readonly sessionId?: string | undefined;
  /** Only events that contain this text (rule GET-13). */
  readonly text?: string | undefined;
  /** Whether the text is searched in whole metadata instead of summaries. */
  readonly searchesWhole?: boolean | undefined;
  /** Unix milliseconds; since is inclusive, until exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only late rows, or only others. */
  readonly late?: boolean | undefined;
  /** Lower bound of the ids, exclusive. */
  readonly after?: number | undefined;
  /** Upper bound of the ids, exclusive. */
  readonly before?: number | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

/** A number above every id and every time. */
export const NO_UPPER_BOUND = 9_007_199_254_740_992;
/** The id of a name that no event has. */
export const UNKNOWN_NAME = 0;

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

  /** Runs related reads in one transaction; one at a time. */
  consistently<T>(read: () => T): T {
    try {
      this.begin.run();
      const result = read();
      this.commit.run();
      return result;
    } catch (error) {
      // After some errors SQLite has already rolled back.
      if (this.db.inTransaction) this.rollback.run();
      throw error;
    }
  }

  /** Counts the events with an id above `since` and up to `newest`, up to `most`. */
  countSince(since: number, newest: number, most: number): number {
    return this.pluck(QUERIES.selectCountSince, since, newest, most) ?? 0;
  }

  getEvent(id: number): EventRow | undefined {
    return this.prepared(QUERIES.selectEvent, true).get(id) as EventRow | undefined;
  }

  /** Returns the id of the newest event; 0 without events. */
  newestRevision(): number {
    return this.pluck(QUERIES.selectLastEventId) ?? 0;
  }

  /** Returns the newest id that a deletion took (rule RET-05). */
  lastDeletion(): number {
    return this.pluck(QUERIES.selectLastDeletionId) ?? 0;
  }

  /** Returns the bytes that count against `--retain-bytes` (rule RET-02), and the oldest event's id. */
  retention(): readonly [bytes: number, firstEventId: number | null] {
    return [this.pluck(QUERIES.selectRetainedBytes) ?? 0, this.pluck(QUERIES.selectFirstEventId)];
  }

  epoch(): string {
    return String((this.prepared(QUERIES.selectEpoch, true).get() as readonly string[])[0]);
  }

  pragma(name: string): unknown {
    return this.db.pragma(name, { simple: true });
  }

  /** Returns the result of `PRAGMA quick_check` for the table at this place by name; undefined after the last one. */
  checkTable(place: number): string | undefined {
    const read = () => this.prepared(QUERIES.checkTable, true).get(place) as readonly [string] | undefined;
    return withSmallCache(this.db, read)?.[0];
  }

  sqliteVersion(): string {
    return String(this.db.prepare('SELECT sqlite_version()').pluck().get());
  }

  /** Returns the id of a name, null without a filter; `UNKNOWN_NAME` when no event has it. */
  filterId(kind: string, name: string | undefined): number | null {
    return name === undefined ? null : this.nameId(kind, name);
  }

  private nameId(kind: string, name: string): number {
    return this.pluck(QUERIES.selectName, kind, name) ?? UNKNOWN_NAME;
  }

  /** Returns the only column of the only row; null without a row. */
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
