/**
 * Decides what the writer deletes next: the requests of clients, then the events outside `--retain-days` and
 * `--retain-bytes` (rules RET-01 to RET-05). In a pause it returns free pages to the file system (rule RET-07).
 *
 * Belongs to the writer's thread, which takes a step between groups. Invariant: a step that fails leaves its job, or
 * answers it with the error; nothing is deleted twice. Over 250 lines because one file decides the order of all
 * deletions.
 */
import { LIMITS, TUNING } from '../contract.ts';
import type { AttachmentWriter } from './attachments.ts';
import type { Connection } from './connection.ts';
import { Deletions, type Oldest, type Scope, type Step } from './deletions.ts';
import type { EventWriter } from './events.ts';
import type { StoreCode } from './failure.ts';
import type { ForwardCursor } from './forwarding.ts';

const DAY_MS = 86_400_000;

/** The bounds of `--retain-days` and `--retain-bytes`; 0 is no bound. */
export interface Bounds {
  readonly days: number;
  readonly bytes: number;
}

/** The result of a client's deletion. */
export interface Deleted {
  /** Number of deleted events. */
  readonly events: number;
  /** The id that its last transaction took. */
  readonly revision: number;
}

/** The answer to a client's deletion; `undefined` when nothing matches. */
export type DeletionResult = Deleted | { readonly code: StoreCode } | undefined;

/** The effect of a step outside the database. */
export interface Progress {
  /** The id of its transaction. */
  readonly newest: number;
  /** Whether a client asked for it. */
  readonly isAsked: boolean;
  /** Number of deleted events. */
  readonly events: number;
  /** Bytes of attachments whose contents were removed. */
  readonly freedBytes: number;
}

interface Job {
  readonly scope: Scope;
  readonly cursor: { block: number };
  events: number;
  revision: number;
  readonly reply: (result: DeletionResult) => void;
}

/** Pending deletions. */
export class Retention {
  private readonly events: EventWriter;
  private readonly attachments: AttachmentWriter;
  private readonly deletions: Deletions;
  private readonly db: Connection;
  private readonly cursor: ForwardCursor | undefined;
  private bounds: Bounds = { days: 0, bytes: 0 };
  private readonly jobs: Job[] = [];
  /** A job whose last step is committed; its answer waits until the step's id is published, and the files are removed. */
  private finished: Job | undefined;
  /** Contents whose files are to be removed, since their rows are deleted; the next one is the last. */
  private readonly removals: Buffer[] = [];
  /** Whether the bounds may be exceeded. */
  private isDue = false;
  /** Whether the size was above its bound. Deletions then continue until it is below the bound by a share of it. */
  private isReducing = false;
  private isVacuuming = false;
  /** Whether a group was stored since the last tick. */
  private isBusy = false;
  /** Number of events that were stored since the last step by the bounds. */
  private stored = 0;

  constructor(
    db: Connection,
    events: EventWriter,
    attachments: AttachmentWriter,
    cursor?: ForwardCursor | undefined,
  ) {
    this.db = db;
    this.cursor = cursor;
    this.events = events;
    this.attachments = attachments;
    this.deletions = new Deletions(db);
  }

  setBounds(bounds: Bounds): void {
    this.bounds = bounds;
  }

  /** Queues a client's deletion. */
  push(scope: Scope, reply: (result: DeletionResult) => void): void {
    this.jobs.push({ scope, cursor: { block: 0 }, events: 0, revision: 0, reply });
  }

  /** Returns whether a step is pending. */
  get hasWork(): boolean {
    return this.isDue || this.isVacuuming || this.hasRemovals || this.jobs.length > 0;
  }

  /** Returns whether free pages are being returned. */
  get vacuums(): boolean {
    return this.isVacuuming;
  }

  /** Notes that a group was stored: vacuuming waits for a pause. */
  noteGroup(events: number): void {
    this.isBusy = true;
    this.stored += events;
    // Under load the size is checked more often than once a second.
    if (this.stored >= TUNING.retention_step_events && this.bounds.bytes > 0) this.isDue = true;
    this.isVacuuming = false;
  }

  /** Checks the bounds again; runs once a second. */
  tick(): void {
    this.isDue = this.bounds.days > 0 || this.bounds.bytes > 0;
    if (!this.isBusy) this.isVacuuming = this.deletions.freeBytes() > TUNING.retention_free_bytes;
    this.isBusy = false;
  }

  /**
   * Takes the next step: deletes events, by the bounds about `most`, or vacuums some pages. Returns its effect if it
   * deleted something. Throws SQLite's errors.
   */
  step(nowMs: number, most: number): Progress | undefined {
    const [job] = this.jobs;
    this.deletions.overwrite(job !== undefined);
    let found: readonly [Step, number] | undefined;
    if (job !== undefined) {
      // The load does not decide it, so that both servers assign the same ids.
      found = this.stepOf(job, LIMITS.deletion_step_events);
      if (found === undefined) {
        this.finished = this.jobs.shift();
        return undefined;
      }
      job.events += found[0].events;
      job.revision = found[1];
    } else if (this.isDue) {
      this.stored = 0;
      const due = this.dueBound(nowMs, most);
      if (due === undefined) {
        this.isDue = false;
        return undefined;
      }
      const oldest = this.bounded(due);
      const lost = this.cursor?.countLosses(this.db, oldest.newest) ?? 0;
      found = this.events.delete(() => this.deletions.deleteEvents(oldest, false));
      this.cursor?.noteLosses(oldest.newest, lost);
    } else {
      this.vacuum();
    }
    if (found === undefined) return undefined;
    const [step, newest] = found;
    if (step.isLast) this.finished = this.jobs.shift();
    const [unused, freedBytes] = this.attachments.findUnused(step.contents);
    this.removeLater(unused);
    return { newest, isAsked: job !== undefined, events: step.events, freedBytes };
  }

  /** Returns whether files of deleted attachments are left. */
  get hasRemovals(): boolean {
    return this.removals.length > 0;
  }

  /** Queues the removal of the files of these contents. */
  removeLater(unused: readonly Buffer[]): void {
    this.removals.push(...unused);
  }

  /**
   * Removes files of deleted attachments for `removal_turn_ms`, at least one. A slow disk may need longer for one file than
   * the database for a whole step, so groups come between them.
   */
  removeFiles(): void {
    const end = performance.now() + TUNING.removal_turn_ms;
    do {
      const sha256 = this.removals.pop();
      if (sha256 === undefined) return;
      this.attachments.removeUnused(sha256);
    } while (performance.now() < end);
  }

  /** Answers the current job with this code. Deletions by the bounds wait for the next tick. */
  fail(code: StoreCode): void {
    this.isDue = false;
    this.isVacuuming = false;
    this.jobs.shift()?.reply({ code });
  }

  /** Answers the job whose last step is published, once no file of it is left. */
  answer(): void {
    if (this.hasRemovals) return;
    const job = this.finished;
    this.finished = undefined;
    if (job === undefined) return;
    const { events, revision } = job;
    job.reply(revision > 0 ? { events, revision } : undefined);
  }

  /** Returns the newest id that the bounds let a step delete. */
  private dueBound(nowMs: number, most: number): number | undefined {
    const { isReducing } = this;
    const due = dueBound(this.deletions, {
      ...this.bounds,
      lastId: this.events.newest,
      nowMs,
      most,
      isReducing,
    });
    this.isReducing = due.isReducing;
    return due.through;
  }

  private vacuum(): void {
    const before = this.deletions.freeBytes();
    this.deletions.vacuum();
    const after = this.deletions.freeBytes();
    // A file without auto_vacuum keeps its pages.
    this.isVacuuming = after > 0 && after < before;
  }

  /** Takes one step of a client's deletion; `undefined` when nothing matches. */
  private stepOf({ scope, cursor }: Job, most: number): readonly [Step, number] | undefined {
    if (scope.kind === 'session') {
      return this.events.delete(() => this.deletions.deleteSession(scope.sessionId, cursor));
    }
    const newest = this.deletions.bound(Math.min(scope.id, this.events.newest + 1), most, null);
    if (newest === undefined) return undefined;
    const oldest = this.bounded(newest);
    return this.events.delete(() => this.deletions.deleteEvents(oldest, true));
  }

  /** Returns what a step deletes of the events up to an id. */
  private bounded(newest: number): Oldest {
    return this.deletions.oldestOf(newest, LIMITS.retention_step_attachments);
  }
}

/** What decides the next deletion by the bounds; `most` bounds the step. */
export interface Due extends Bounds {
  /** The newest id that was ever assigned. */
  readonly lastId: number;
  readonly nowMs: number;
  readonly most: number;
  /** Whether the size was above its bound, as the last call returned it. */
  readonly isReducing: boolean;
}

/** Returns the newest id that the bounds let a step delete (rule RET-01). */
export function dueBound(
  deletions: Deletions,
  { days, bytes, lastId, nowMs, most, isReducing: wasReducing }: Due,
): { readonly through: number | undefined; readonly isReducing: boolean } {
  const below = lastId - LIMITS.retention_kept_events + 1;
  if (days > 0) {
    const through = deletions.bound(below, most, nowMs - days * DAY_MS);
    if (through !== undefined) return { through, isReducing: wasReducing };
  }
  if (bytes === 0) return { through: undefined, isReducing: wasReducing };
  const lower = bytes - Math.floor(bytes / LIMITS.retention_slack_share);
  const used = deletions.retainedBytes();
  const isReducing = used > (wasReducing ? lower : bytes);
  const first = isReducing ? deletions.firstEventId() : undefined;
  if (first === undefined) return { through: undefined, isReducing };
  // No more than the average event's size calls for, so that the last step does not delete too much.
  const rows = below + LIMITS.retention_kept_events - first;
  const needed = Math.floor(((used - lower) * rows) / used) + 1;
  return { through: deletions.bound(below, Math.min(most, needed), null), isReducing };
}
