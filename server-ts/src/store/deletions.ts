/**
 * Deletes events step by step, each step in one transaction (rules RET-04 to RET-06).
 *
 * Invariants: a step is bounded, so that no group waits long for it. A row and its attachments are deleted together. A
 * summary is deleted only with the last of its rows, so that no row is hidden. Keys of event ids stay (rule EVT-13).
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, Numbered } from './connection.ts';

/** The scope of a deletion: the events with an id below this, or a session and its events. */
export type Scope =
  | { readonly kind: 'before'; readonly id: number }
  | { readonly kind: 'session'; readonly sessionId: string };

/** A content of a deleted attachment; the size is in bytes. */
export interface Content {
  readonly sha256: Buffer;
  readonly size: number;
}

/** The effect of a step. */
export interface Step {
  /** Number of deleted events. */
  readonly events: number;
  readonly contents: readonly Content[];
  /** Whether nothing is left to delete. */
  readonly isLast: boolean;
}

export class Deletions {
  private readonly db: Connection;
  private readonly statements = new Map<string, Numbered>();

  constructor(db: Connection) {
    this.db = db;
  }

  /**
   * Returns the newest id of the oldest events that a step may delete: at most `most` events with an id below `below`.
   * With `before` they must be older than this (Unix milliseconds). `undefined` when there is none.
   */
  bound(below: number, most: number, before: number | null): number | undefined {
    const [row] = this.rows(QUERIES.selectDeletionBound, below, most, before) as readonly [
      readonly [number | null],
    ];
    return row[0] ?? undefined;
  }

  /** Deletes the events up to an id, and all that refers to them alone. */
  deleteEvents(newest: number): Step {
    const contents = this.contentsOf(QUERIES.deleteAttachments, newest);
    const events = this.run(QUERIES.deleteEvents, newest);
    this.run(QUERIES.deleteEventBlocks, newest);
    this.run(QUERIES.deleteEventSpans, newest);
    if (this.run(QUERIES.deleteHours, newest) > 0) this.run(QUERIES.deleteHourStats);
    this.run(QUERIES.deleteOldSessionWaits, newest);
    this.run(QUERIES.deleteOldSessions, newest);
    return { events, contents, isLast: false };
  }

  /**
   * Deletes the events of a session in its next blocks. `cursor.block` is the first one to visit; the call moves it
   * behind the last one. The step after the last block deletes the session. `undefined` when no session has this id.
   */
  deleteSession(sessionId: string, cursor: { block: number }): Step | undefined {
    const key = this.sessionKey(sessionId);
    if (key === undefined) return undefined;
    const blocks = this.blocksOf(key, cursor.block);
    const { events, contents } = this.deleteBlocks(key, blocks);
    cursor.block = (blocks.at(-1) ?? cursor.block - 1) + 1;
    const isLast = blocks.length < LIMITS.retention_step_blocks;
    if (isLast) {
      this.run(QUERIES.deleteSessionWaits, key);
      this.run(QUERIES.deleteSession, key);
    }
    return { events, contents, isLast };
  }

  /**
   * Deletes the events of a session in the blocks of one step, from `fromBlock` to `toBlock` (rule CLU-11). Without a
   * `toBlock` it deletes all further events and the session. `undefined` when nothing is there.
   */
  deleteSessionBlocks(sessionId: string, fromBlock: number, toBlock: number | undefined): Step | undefined {
    if (toBlock !== undefined) {
      const key = this.sessionKey(sessionId);
      if (key === undefined) return undefined;
      const blocks = this.blocksOf(key, fromBlock).filter((block) => block <= toBlock);
      const { events, contents } = this.deleteBlocks(key, blocks);
      return events > 0 ? { events, contents, isLast: false } : undefined;
    }
    const cursor = { block: fromBlock };
    const contents: Content[] = [];
    let events = 0;
    for (;;) {
      const step = this.deleteSession(sessionId, cursor);
      if (step === undefined) return undefined;
      events += step.events;
      contents.push(...step.contents);
      if (step.isLast) return { events, contents, isLast: true };
    }
  }

  /** Returns the blocks of the next step of the deletion of a session; `undefined` when no session has this id. */
  sessionBlocks(sessionId: string, block: number): readonly number[] | undefined {
    const key = this.sessionKey(sessionId);
    return key === undefined ? undefined : this.blocksOf(key, block);
  }

  /** Returns the bytes that count against `--retain-bytes` (rule RET-02). */
  retainedBytes(): number {
    return this.number(QUERIES.selectRetainedBytes);
  }

  /** Returns the oldest event's id. */
  firstEventId(): number | undefined {
    return this.number(QUERIES.selectFirstEventId) ?? undefined;
  }

  /** Returns the bytes of free pages. */
  freeBytes(): number {
    return this.number(QUERIES.selectFreeBytes);
  }

  /** Gives some free pages back to the file system. The file shrinks with the next checkpoint. */
  vacuum(): void {
    // Each row of the answer is one page, and `exec` takes all of them.
    this.db.exec(`PRAGMA incremental_vacuum(${LIMITS.retention_vacuum_pages})`);
  }

  /**
   * Turns the overwriting of deleted data on or off. A client's deletion is overwritten, since its data may be private
   * (rule RET-07).
   */
  overwrite(isPrivate: boolean): void {
    this.db.pragma(`secure_delete = ${isPrivate ? 'ON' : 'OFF'}`);
  }

  private sessionKey(sessionId: string): number | undefined {
    const [found] = this.rows(QUERIES.selectSessionKey, sessionId) as readonly (readonly [number])[];
    return found?.[0];
  }

  private blocksOf(key: number, block: number): readonly number[] {
    const most = LIMITS.retention_step_blocks;
    const rows = this.rows(QUERIES.selectSessionBlocks, key, block, most) as readonly (readonly [number])[];
    return rows.map(([id]) => id);
  }

  private deleteBlocks(key: number, blocks: readonly number[]): Omit<Step, 'isLast'> {
    const contents: Content[] = [];
    let events = 0;
    for (const block of blocks) {
      contents.push(...this.contentsOf(QUERIES.deleteSessionAttachments, key, block));
      events += this.run(QUERIES.deleteSessionEvents, key, block);
    }
    return { events, contents };
  }

  private contentsOf(sql: string, ...values: readonly unknown[]): Content[] {
    const rows = this.rows(sql, ...values) as readonly (readonly [Buffer, number])[];
    return rows.map(([sha256, size]) => ({ sha256, size }));
  }

  private number(sql: string): number {
    return (this.rows(sql) as readonly [readonly [number]])[0][0];
  }

  private rows(sql: string, ...values: readonly unknown[]): readonly unknown[] {
    return this.prepared(sql, true).all(...values);
  }

  private run(sql: string, ...values: readonly unknown[]): number {
    return this.prepared(sql, false).run(...values);
  }

  private prepared(sql: string, hasRows: boolean): Numbered {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = new Numbered(this.db, sql, hasRows);
    this.statements.set(sql, statement);
    return statement;
  }
}
