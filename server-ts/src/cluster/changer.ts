/**
 * Publishes the changes that clients and the bounds of retention ask for, step by step (rules CLU-11 and CLU-12).
 *
 * Invariant: a step names what it deletes by ids alone, so every copy deletes the same rows. The next step follows once
 * this copy has taken the one before.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import { TUNING } from '../contract.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import type { Scope } from '../store/deletions.ts';
import type { Store } from '../store/index.ts';
import type { Bounds, Deleted } from '../store/retention.ts';
import type { Progress } from './progress.ts';

/** Publishes a change; returns its sequence once this copy has it. Throws a `Failure`. */
type Publish = (change: ClusterChange) => Promise<number>;

/** Publishes the steps of changes. */
export class Changer {
  private readonly store: Store;
  private readonly progress: Progress;
  /** The bounds of the flags; 0 is no bound. */
  private readonly flags: Bounds;
  private readonly ended = new AbortController();

  constructor(store: Store, progress: Progress, flags: Bounds) {
    this.store = store;
    this.progress = progress;
    this.flags = flags;
  }

  /** Ends `run`. */
  close(): void {
    this.ended.abort();
  }

  /** Deletes what a scope covers on all copies; `undefined` when no session has this id, or nothing matches. */
  async delete(scope: Scope, publish: Publish): Promise<Deleted | undefined> {
    let events = 0;
    let revision = 0;
    let block = 0;
    for (;;) {
      const step = await this.store.nextStep(scope, block);
      if (step === undefined) break;
      const { change, isLast } = step;
      // The last block may get more events meanwhile.
      if (change.kind === 'delete_session' && change.to_block !== undefined) block = change.to_block;
      const sequence = await publish(change);
      const deleted = this.progress.deleted(sequence);
      if (deleted !== undefined) {
        events += deleted;
        revision = sequence;
      }
      if (isLast) break;
    }
    return revision > 0 ? { events, revision } : undefined;
  }

  /** Publishes the bounds of the flags, and what the bounds call for. Runs until the end. */
  async run(publish: Publish): Promise<void> {
    const { signal } = this.ended;
    let areFlagsKnown = this.flags.days === 0 && this.flags.bytes === 0;
    let isReducing = false;
    for (;;) {
      await sleep(TUNING.storage_watch_ms, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      // A copy that is behind would name rows that are deleted already.
      if (!this.progress.isCurrent) continue;
      try {
        if (!areFlagsKnown) {
          const change = this.wanted();
          if (change !== undefined) await publish(change);
          areFlagsKnown = true;
        }
        for (;;) {
          const { days, bytes } = this.store.bounds;
          if (days === 0 && bytes === 0) break;
          const due = await this.store.due({ days, bytes, nowMs: nowMs(), isReducing });
          isReducing = due.isReducing;
          if (due.through === undefined) break;
          await publish({ kind: 'delete_events', through: due.through, asked: false });
        }
      } catch {
        // The next round tries again. The publisher and the store have logged why.
      }
    }
  }

  /** Returns the bounds with those of the flags; `undefined` when they are the same. */
  private wanted(): ClusterChange | undefined {
    const known = this.store.bounds;
    const days = this.flags.days > 0 ? this.flags.days : known.days;
    const bytes = this.flags.bytes > 0 ? this.flags.bytes : known.bytes;
    if (days === known.days && bytes === known.bytes) return undefined;
    return { kind: 'retain', days, bytes };
  }
}
