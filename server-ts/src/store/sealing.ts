/**
 * Seals the metadata of older rows while the writer is idle (docs/decisions/0114-sealed-texts.md).
 *
 * Belongs to the writer's thread, which takes a step between groups. Each step seals a block in one transaction, so a kill
 * leaves it sealed or as it was. While groups come, steps take a share of the time, and only once many rows wait.
 */
import { LIMITS, TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, Numbered, type Statement } from './connection.ts';
import { sqliteCode } from './failure.ts';
import { sealBlock } from './sealed-texts.ts';

/** What the writer knows of the blocks that wait. */
export class Sealing {
  private readonly db: Connection;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly statements = new Map<string, Numbered>();
  /** Whether a block may wait. A step that finds none ends it. */
  private isDue = false;
  /** Number of events that were stored since the last tick. */
  private stored = 0;
  /** Number of events that were stored since a step found no block. An earlier process may have left one. */
  private waiting = 1;
  /** Whether so few events came between the last two ticks that a step delays none. */
  private isQuiet = false;
  /** Whether a block could not be sealed. */
  private isStopped = false;
  /** Steps under load wait until this. */
  private pauseEnd = 0;

  constructor(db: Connection) {
    this.db = db;
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
  }

  /** Notes that a group was stored. */
  noteGroup(events: number): void {
    this.stored += events;
    this.waiting += events;
  }

  /** Decides whether the writer is idle; runs once a second. */
  tick(): void {
    this.isQuiet = this.stored < TUNING.sealing_quiet_events;
    this.stored = 0;
    this.isDue = this.waiting > 0;
  }

  /** Returns whether a step may be taken now. */
  get hasWork(): boolean {
    return (
      this.isDue &&
      !this.isStopped &&
      (this.isQuiet || this.waiting >= TUNING.sealing_backlog_events) &&
      performance.now() >= this.pauseEnd
    );
  }

  /** Waits for the next tick, after a failure or where no write is possible. */
  defer(): void {
    this.isDue = false;
  }

  /** Ends sealing until the next start, because a block cannot be sealed. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Seals the next block. `newest` is the newest id. It waits for no other process, and tries again at the next tick.
   * Throws SQLite's errors.
   */
  step(newest: number): void {
    const startedMs = performance.now();
    const next = this.nextBlock(newest);
    if (next === undefined) {
      this.isDue = false;
      this.waiting = 0;
      return;
    }
    if (!this.beginAtOnce()) {
      this.defer();
      return;
    }
    try {
      // A later deletion would not reach the bytes of free pages (rule RET-07).
      this.db.pragma('secure_delete = ON');
      this.sealNext(...next);
      this.commit.run();
    } catch (error) {
      // After some errors SQLite has already rolled back.
      if (this.db.inTransaction) this.rollback.run();
      throw error;
    } finally {
      this.db.pragma('secure_delete = OFF');
    }
    const takenMs = performance.now() - startedMs;
    this.pauseEnd = this.isQuiet ? 0 : startedMs + takenMs * (1 + TUNING.sealing_pause_factor);
  }

  /** Begins a transaction; returns `false` while another process writes. */
  private beginAtOnce(): boolean {
    const usual = Number(this.db.pragma('busy_timeout', { simple: true }));
    this.db.pragma('busy_timeout = 0');
    try {
      this.begin.run();
      return true;
    } catch (error) {
      if (sqliteCode(error) === 'SQLITE_BUSY') return false;
      throw error;
    } finally {
      this.db.pragma(`busy_timeout = ${usual}`);
    }
  }

  /** Returns the next block whose rows are old enough, and the bytes of its texts. */
  private nextBlock(newest: number): readonly [block: number, bytes: number] | undefined {
    const below = Math.floor((newest - TUNING.sealing_kept_events) / LIMITS.event_block_rows);
    const next = this.prepared(QUERIES.selectUnsealedBlock, true).get(below);
    return next as readonly [block: number, bytes: number] | undefined;
  }

  /** Seals a block, unless it has too much text. */
  private sealNext(block: number, bytes: number): void {
    if (bytes <= TUNING.sealed_block_bytes) {
      sealBlock((sql, hasRows) => this.prepared(sql, hasRows), block);
      this.prepared(QUERIES.deleteBlockTexts, false).run(block);
    }
    this.prepared(QUERIES.updateSealedBelow, false).run(block + 1);
  }

  private prepared(sql: string, hasRows: boolean): Numbered {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = new Numbered(this.db, sql, hasRows);
    this.statements.set(sql, statement);
    return statement;
  }
}
