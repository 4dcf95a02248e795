/**
 * Keeps a copy of a server's state: an invalidation announces a change, and a fetch gets it.
 *
 * At any rate of invalidations, one fetch is in flight and at most one follows it. Invariants: applied revisions grow
 * within an epoch. While it runs, the applied state reaches the largest announced revision, despite failures in
 * between. Another epoch means another database and starts over. So does an announced restore to an older state.
 */
import { Backoff } from './backoff.ts';
import { CLOCK, type Clock, wait } from './clock.ts';
import { Pace, type PaceOptions } from './pace.ts';
import { compareRevisions, isRevision, maxRevision } from './revision.ts';
import {
  isInvalidation,
  isOlder,
  type Known,
  type Phase,
  type Snapshot,
  type SyncCounts,
  type SyncOptions,
} from './sync-options.ts';
import { Waiters } from './waiters.ts';

const FRAME: PaceOptions = { throttle_ms: 16, debounce_ms: 0, leading: true, trailing: true };
/** Bound of the first wait between attempts. */
const RETRY_MS = 100;

export class Sync<T> {
  readonly counts: SyncCounts = { invalidations: 0, fetches: 0, applies: 0, unchanged: 0, stale: 0 };
  readonly #options: SyncOptions<T>;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #backoff: Backoff;
  readonly #end = new AbortController();
  readonly #waiters = new Waiters();
  #started: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #known: Known | null = null;
  /** The largest announced revision, with its epoch. */
  #target: Known | null = null;
  #pulls = 0;
  /** Number that rises when earlier states are no longer valid. */
  #timeline = 0;
  #isPulling = false;
  #isWanted = false;
  /** Whether `refresh` was called since the newest fetch started. */
  #isAsked = false;
  /**
   * Each fetch has its own controller: listeners that `fetch` leaves on a signal stay until the signal is collected.
   */
  #inFlight = new AbortController();
  /** Ends the wait before another attempt. */
  #hurry = () => {};

  constructor(options: SyncOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
    this.#backoff = new Backoff(RETRY_MS, options.random);
    this.#pace = new Pace({ ...FRAME, ...options.pace }, this.#clock, () => {
      // Another fetch may already have returned the delayed change.
      if (this.#isBehind()) this.#wantPull();
    });
    options.signal?.addEventListener('abort', () => this.stop(), { signal: this.#end.signal });
    if (options.signal?.aborted) this.stop();
  }

  /** The last applied revision; `null` while none is valid. */
  get known(): Known | null {
    return this.#known;
  }

  /**
   * Subscribes, then fetches. Resolves when the first state is applied. A second call returns the same promise. If it
   * rejects because subscribing failed, it may be called again. After `stop` it rejects.
   */
  start(): Promise<void> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason);
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  /** Stops permanently. The fetch in flight is aborted and not applied. */
  stop(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new DOMException('the sync was stopped', 'AbortError'));
    this.#inFlight.abort(this.#end.signal.reason);
    this.#pace.stop();
    this.#unsubscribe?.();
    this.#waiters.reject(this.#end.signal.reason);
    this.#hurry();
  }

  /**
   * Fetches at once. Resolves after a fetch, when the applied state includes every revision announced before the
   * call.
   */
  async refresh(): Promise<void> {
    this.#end.signal.throwIfAborted();
    const [target, pulls, timeline] = [this.#target, this.#pulls, this.#timeline];
    const refreshed = this.#waiters.add(() => {
      const known = this.#known;
      // A fetch that started before the call may have read an older state.
      if (known === null || pulls === this.#pulls) return false;
      // After a change or a restore of the database, the goal no longer applies.
      return timeline !== this.#timeline || target?.epoch !== known.epoch || !isOlder(known, target);
    });
    this.#isAsked = true;
    this.#hurry();
    this.#wantPull();
    await refreshed;
  }

  async #start(): Promise<void> {
    const { subscribe } = this.#options;
    const { signal } = this.#end;
    try {
      this.#unsubscribe = await subscribe((heard) => this.#hear(heard), signal);
    } catch (error) {
      this.#tell('subscribe', error);
      throw error;
    }
    if (signal.aborted) this.#unsubscribe();
    await this.refresh();
  }

  #hear(heard: unknown): void {
    if (this.#end.signal.aborted) return;
    if (!isInvalidation(heard)) {
      this.#tell('protocol', new TypeError('no invalidation'));
      return;
    }
    if (heard.topic !== this.#options.topic) return;
    this.counts.invalidations++;
    const { epoch, revision } = heard;
    if (heard.reset) this.#forget();
    const target = this.#target;
    this.#target = {
      epoch,
      revision: target?.epoch === epoch ? maxRevision(target.revision, revision) : revision,
    };
    if (this.#isBehind()) this.#pace.want();
  }

  /** Whether an announced revision is newer than the applied one. */
  #isBehind(): boolean {
    const [known, target] = [this.#known, this.#target];
    return target !== null && (known?.epoch !== target.epoch || isOlder(known, target));
  }

  /** Forgets the known and the announced state, and aborts the fetch in flight. */
  #forget(): void {
    this.#inFlight.abort();
    this.#timeline++;
    this.#known = this.#target = null;
  }

  #wantPull(): void {
    this.#isWanted = true;
    if (!this.#isPulling) void this.#pullWhileWanted();
  }

  async #pullWhileWanted(): Promise<void> {
    const { signal } = this.#end;
    this.#isPulling = true;
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = this.#isAsked = false;
      const isDone = await this.#pull();
      if (signal.aborted) break;
      if (isDone) this.#waiters.release();
      // The pace schedules the changes that were announced during the fetch, so that fetches keep their interval.
      if (isDone && (!this.#isBehind() || this.#isWanted || this.#pace.isHolding)) this.#backoff.reset();
      else {
        // Waits, however many announcements come. A server that fails under load must not receive more requests for it.
        if (!this.#isAsked)
          await wait(this.#backoff.next(), this.#clock, (hurry) => {
            this.#hurry = hurry;
          });
        this.#isWanted = true;
      }
    }
    this.#isPulling = false;
  }

  /** Fetches a state, and applies it if it is new. Returns false if another attempt is needed. */
  async #pull(): Promise<boolean> {
    this.#inFlight = new AbortController();
    const { signal } = this.#inFlight;
    let snapshot: Snapshot<T> | null;
    this.#pulls++;
    this.counts.fetches++;
    try {
      snapshot = await this.#options.fetch(this.#known, signal);
    } catch (error) {
      if (!signal.aborted) this.#tell('fetch', error);
      return false;
    }
    if (signal.aborted) return false;
    if (snapshot === null) {
      this.counts.unchanged++;
      return this.#known !== null;
    }
    const { epoch, revision } = snapshot;
    if (typeof epoch !== 'string' || !isRevision(revision)) {
      this.#tell('protocol', new TypeError('no snapshot'));
      return false;
    }
    return this.#take(snapshot, { epoch, revision }, signal);
  }

  async #take(snapshot: Snapshot<T>, next: Known, signal: AbortSignal): Promise<boolean> {
    const known = this.#known;
    const isNewEpoch = known?.epoch !== next.epoch;
    const order = isNewEpoch ? 1 : compareRevisions(next.revision, known.revision);
    if (this.#target?.epoch === next.epoch && isOlder(next, this.#target)) this.counts.stale++;
    if (order <= 0 && !snapshot.reset) {
      this.counts.unchanged++;
      return true;
    }
    try {
      await this.#options.apply(snapshot, isNewEpoch || Boolean(snapshot.reset || snapshot.whole));
    } catch (error) {
      this.#tell('apply', error);
      return false;
    }
    if (signal.aborted) return false;
    this.counts.applies++;
    if (order < 0) {
      // Later announcements may belong to either timeline: another fetch reads after them.
      this.#forget();
      this.#isWanted = true;
    }
    this.#known = next;
    // Announcements of a replaced database are no longer a goal.
    if (this.#target !== null && this.#target.epoch !== next.epoch && known?.epoch === this.#target.epoch)
      this.#target = null;
    return true;
  }

  #tell(phase: Phase, error: unknown): void {
    try {
      this.#options.onError?.(phase, error);
    } catch {
      // An error in the error callback is ignored.
    }
  }
}
