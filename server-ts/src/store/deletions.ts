/**
 * Deletes events step by step, each step in one transaction (rules RET-04 to RET-06).
 *
 * Invariants: the numbers of events and attachments bound a step, so that no group waits long for it. Time does not, so
 * both servers assign the same ids. A row goes with or after its last attachment. A summary goes only when all of its
 * rows are deleted, so that no row is hidden. Keys of event ids stay (rule EVT-13). What a client deletes leaves all sums,
 * and names that nothing has any more; what the bounds delete does not (rule RET-06). Over 250 lines because both scopes
 * share the rows that go with an event.
 */
import { LIMITS, TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, Numbered } from './connection.ts';
import { fromBytes } from './number-list.ts';
import { deleteUnusedNames, subtractRows } from './row-sums.ts';
import { sealAgain } from './sealed-texts.ts';

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

/** The attachments that the next step deletes, and the newest event that it may delete with them. */
export interface Oldest {
  readonly attachments: readonly Reference[];
  /** Below the first event that keeps attachments. */
  readonly newest: number;
}

/** The row of an attachment: its event, its name, and its content with the size in bytes. */
type Reference = readonly [event: number, name: string, sha256: Buffer, size: number];

/** What a step has deleted so far. */
interface Part {
  events: number;
  readonly contents: Content[];
  /** The ids of names that lost a sum. */
  readonly unused: Set<number>;
}

/** Number of ids of a block. */
const BLOCK = LIMITS.event_block_rows;

/** Adds the names of deleted sessions. */
function withNames(unused: Set<number>, sessions: readonly unknown[]): ReadonlySet<number> {
  for (const name of (sessions as readonly (readonly (number | null)[])[]).flat())
    if (name !== null) unused.add(name);
  return unused;
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

  /**
   * Returns the oldest events and attachments of a step: events up to `newest`, and at most `most` attachments. An event
   * with more attachments loses some of them in each step, and goes with the last ones.
   */
  oldestOf(newest: number, most: number): Oldest {
    const attachments = this.references(QUERIES.selectOldestAttachments, newest, most + 1);
    const over = attachments[most];
    return { attachments: attachments.slice(0, most), newest: over === undefined ? newest : over[0] - 1 };
  }

  /**
   * Deletes the oldest events and attachments, and all that refers to these events alone. With `isAsked` a client asked
   * for it.
   */
  deleteEvents({ attachments, newest }: Oldest, isAsked: boolean): Step {
    const contents = this.deleteAttachments(attachments);
    const unused = new Set<number>();
    if (isAsked) subtractRows(this.db, 0, newest, null, unused);
    const sessions = this.sessionsOf(newest);
    this.run(QUERIES.deleteWholeTexts, newest);
    const events = this.run(QUERIES.deleteEvents, newest);
    this.run(QUERIES.deleteEventTexts, newest);
    this.run(QUERIES.deleteSealedTexts, newest);
    this.sealAgain(Math.floor((newest + 1) / BLOCK));
    this.run(QUERIES.deleteEventBlocks, newest);
    this.run(QUERIES.deleteEventSpans, newest);
    this.run(QUERIES.deleteOldStats);
    this.run(QUERIES.deleteOldSessionWaits, newest);
    const names = this.rows(QUERIES.deleteOldSessions, newest, sessions);
    if (isAsked) deleteUnusedNames(this.db, withNames(unused, names));
    return { events, contents, isLast: false };
  }

  /**
   * Deletes the next events of a session in whole blocks. It ends after `retention_step_blocks` of them, after
   * `deletion_step_events` events, `deletion_step_bytes` of metadata or `retention_step_attachments` attachments.
   * `cursor.block` is the first one to visit; the call moves it to the next one. The step after the last block deletes the session.
   * `undefined` when no session has this id.
   */
  deleteSession(sessionId: string, cursor: { block: number }): Step | undefined {
    const key = this.sessionKey(sessionId);
    if (key === undefined) return undefined;
    const blocks = this.blocksOf(key, cursor.block);
    const step: Part = { events: 0, contents: [], unused: new Set() };
    let isWhole = true;
    let bytes = 0;
    for (const id of blocks) {
      cursor.block = id;
      isWhole = step.events < LIMITS.deletion_step_events && bytes < LIMITS.deletion_step_bytes;
      // A sealed block is written again, so its bytes count, and those of any other one for equal steps.
      bytes += this.blockBytes(id);
      isWhole = isWhole && this.deleteBlock(key, id, true, step);
      if (!isWhole) break;
      cursor.block++;
    }
    const isLast = isWhole && blocks.length < LIMITS.retention_step_blocks;
    if (isLast) {
      this.run(QUERIES.deleteSessionWaits, key);
      withNames(step.unused, this.rows(QUERIES.deleteSession, key));
    }
    deleteUnusedNames(this.db, step.unused);
    return { events: step.events, contents: step.contents, isLast };
  }

  /**
   * Deletes the events of a session in the blocks of one step, from `fromBlock` to `toBlock` (rule CLU-11). Without a
   * `toBlock` it deletes all further events and the session. `undefined` when nothing is there.
   */
  deleteSessionBlocks(sessionId: string, fromBlock: number, toBlock: number | undefined): Step | undefined {
    if (toBlock !== undefined) {
      const key = this.sessionKey(sessionId);
      if (key === undefined) return undefined;
      const step: Part = { events: 0, contents: [], unused: new Set() };
      for (const id of this.blocksOf(key, fromBlock).filter((block) => block <= toBlock))
        this.deleteBlock(key, id, false, step);
      deleteUnusedNames(this.db, step.unused);
      const { events, contents } = step;
      return events > 0 ? { events, contents, isLast: false } : undefined;
    }
    const cursor = { block: fromBlock };
    const contents: Content[] = [];
    let events = 0;
    for (;;) {
      const step = this.deleteSession(sessionId, cursor);
      if (step === undefined) return undefined;
      events += step.events;
      for (const content of step.contents) contents.push(content);
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
    this.db.exec(`PRAGMA incremental_vacuum(${TUNING.retention_vacuum_pages})`);
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

  /**
   * Deletes the events of a session in a block. With `isBounded` it returns `false`, and keeps them, when the step has
   * deleted as many attachments as it may.
   */
  private deleteBlock(key: number, id: number, isBounded: boolean, step: Part): boolean {
    const most = isBounded
      ? LIMITS.retention_step_attachments - step.contents.length
      : Number.MAX_SAFE_INTEGER;
    const attachments = this.references(QUERIES.selectSessionAttachments, key, id, most);
    for (const content of this.deleteAttachments(attachments)) step.contents.push(content);
    if (attachments.length >= most) return false;
    subtractRows(this.db, id * BLOCK, id * BLOCK + BLOCK - 1, key, step.unused);
    this.run(QUERIES.deleteSessionWholeTexts, key, id);
    this.run(QUERIES.deleteSessionTexts, key, id);
    step.events += this.run(QUERIES.deleteSessionEvents, key, id);
    this.sealAgain(id);
    return true;
  }

  /** Returns the keys of the sessions of the blocks up to that of an event, as a JSON array. */
  private sessionsOf(newest: number): string {
    const lists = this.rows(QUERIES.selectOldSessions, newest) as readonly (readonly [Buffer])[];
    const keys = new Set<number>();
    for (const [list] of lists) for (const key of fromBytes(list)) keys.add(key);
    return JSON.stringify([...keys]);
  }

  private references(sql: string, ...values: readonly unknown[]): readonly Reference[] {
    return this.rows(sql, ...values) as readonly Reference[];
  }

  /** Deletes rows of attachments; returns their contents. */
  private deleteAttachments(attachments: readonly Reference[]): readonly Content[] {
    return attachments.map(([event, name, sha256, size]) => {
      this.run(QUERIES.deleteAttachment, event, name);
      return { sha256, size };
    });
  }

  /** Overwrites the earlier bytes of the block, since they have texts of rows that a client may delete later (rule RET-07). */
  private sealAgain(block: number): void {
    const usual = Number(this.db.pragma('secure_delete', { simple: true }));
    this.db.pragma('secure_delete = ON');
    try {
      sealAgain((sql, hasRows) => this.prepared(sql, hasRows), block);
    } finally {
      this.db.pragma(`secure_delete = ${usual}`);
    }
  }

  /** Returns the bytes of the metadata of a block. */
  private blockBytes(id: number): number {
    return (this.rows(QUERIES.selectBlockBytes, id) as readonly [readonly [number]])[0][0];
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
