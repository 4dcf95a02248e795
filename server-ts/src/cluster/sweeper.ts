/**
 * Removes objects of deleted events, and chunks of uploads that a kill has cut, from the bucket (rule CLU-17).
 *
 * Invariant: only an event that the copy has taken and no longer has is gone. Its id never comes back, so no upload can
 * need its objects, whichever server removes them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TUNING } from '../contract.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/index.ts';
import type { Bucket } from './bucket.ts';
import { Leftovers } from './leftovers.ts';
import type { Progress } from './progress.ts';

/** A pause is so many times as long as the sweep before it. */
const PAUSE_SHARE = 10;

/** Sweeps the bucket of a stream. */
export class Sweeper {
  private readonly bucket: Bucket;
  private readonly store: Store;
  private readonly progress: Progress;
  private readonly log: Log;
  private readonly ended = new AbortController();
  private readonly leftovers = new Leftovers();
  private isDue = true;
  private wake: () => void = () => {};

  constructor(bucket: Bucket, store: Store, progress: Progress, log: Log) {
    this.bucket = bucket;
    this.store = store;
    this.progress = progress;
    this.log = log;
  }

  /** Notes that objects of the bucket are no longer needed. */
  note(): void {
    this.isDue = true;
    this.wake();
  }

  /** Ends `run`. */
  close(): void {
    this.ended.abort();
    this.wake();
  }

  /** Sweeps after the start, after each deletion of an attachment, and once in a while. Runs until the end. */
  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const startMs = performance.now();
      if (this.progress.isCurrent) {
        this.isDue = false;
        // The store may close meanwhile.
        if (!(await this.sweep().catch(() => false))) this.isDue = true;
      }
      const pauseMs = Math.max(TUNING.cluster_sweep_ms, PAUSE_SHARE * (performance.now() - startMs));
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      if (!this.isDue && !signal.aborted) await this.rest();
    }
  }

  /** Waits until a sweep is due. */
  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), 1000 * TUNING.cluster_sweep_most_s).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Sweeps once; returns whether nothing is left. */
  private async sweep(): Promise<boolean> {
    const { applied } = this.progress;
    const listing = await this.bucket.list();
    if (listing === undefined) return false;
    const events = new Set(listing.objects.map(({ name }) => eventOf(name)).filter((id) => id <= applied));
    const gone = new Set<number>();
    for (const id of events) {
      if ((await this.store.json({ kind: 'has_event', id })) === undefined) gone.add(id);
    }
    let removed = 0;
    for (const { name, chunks } of listing.objects.filter((one) => gone.has(eventOf(one.name)))) {
      if (!(await this.bucket.remove(name, chunks))) return false;
      removed += 1;
    }
    const mostMs = 1000 * TUNING.cluster_leftover_s;
    for (const chunks of this.leftovers.overdue(listing.leftovers, performance.now(), mostMs)) {
      if (!(await this.bucket.remove(undefined, chunks))) return false;
      removed += 1;
    }
    if (removed > 0) this.log.info({ removed }, 'the bucket of attachments was swept');
    return true;
  }
}

/** Returns the event of an object; not a number when it is none of an attachment. */
function eventOf(name: string): number {
  return /^\d+\./.test(name) ? Number.parseInt(name, 10) : Number.NaN;
}
