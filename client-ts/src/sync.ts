/**
 * Keeps a state of the server's at hand: an invalidation says that it changed, a pull fetches it, one at a time.
 *
 * However many invalidations come, one fetch is in flight and at most one follows it. What must stay true: revisions
 * that are applied grow within an epoch; as long as it runs, what is applied reaches the largest revision that was
 * heard of, whatever fails in between; another epoch, which is another database, begins afresh.
 */
import { Backoff } from './backoff.ts';
import { CLOCK, type Clock, sleep } from './clock.ts';
import { Pace, type PaceOptions } from './pace.ts';
import { compareRevisions, isRevision, maxRevision, type Revision } from './revision.ts';
import type { Invalidation, Known, Phase, Snapshot, SyncCounts, SyncOptions } from './sync-options.ts';

const FRAME: PaceOptions = { throttle_ms: 16, debounce_ms: 0, leading: true, trailing: true };
const RETRY = { first_ms: 100, most_ms: 10_000 };

interface Waiter {
  /** What had been heard of when it asked. */
  readonly target: Known | null;
  resolve(): void;
  reject(reason: unknown): void;
}

export class Sync<T> {
  readonly counts: SyncCounts = { invalidations: 0, fetches: 0, applies: 0, unchanged: 0, stale: 0 };
  readonly #options: SyncOptions<T>;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #backoff: Backoff;
  readonly #end = new AbortController();
  readonly #waiters = new Set<Waiter>();
  #started: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #known: Known | null = null;
  /** The largest revision that was heard of, in its epoch. */
  #target: Known | null = null;
  #isPulling = false;
  #isWanted = false;
  /** Of the newest pull alone: what `fetch` hangs on a signal stays there until it is collected, with this one. */
  #inFlight = new AbortController();
  /** Ends the wait before another attempt. */
  #hurry: (() => void) | undefined;

  constructor(options: SyncOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
    this.#backoff = new Backoff(RETRY, options.random);
    this.#pace = new Pace({ ...FRAME, ...options.pace }, this.#clock, () => {
      // What was held back may have been fetched meanwhile.
      if (this.#isBehind()) this.#wantPull();
    });
    options.signal?.addEventListener('abort', () => this.stop(), { once: true });
    if (options.signal?.aborted) this.stop();
  }

  /** What was applied last. */
  get known(): Known | null {
    return this.#known;
  }

  /**
   * Subscribes, then pulls; resolves when the first state was applied. A second call returns the same promise; when
   * it rejects, because subscribing failed, it may be called again. After `stop` it rejects.
   */
  start(): Promise<void> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason);
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  /** Ends for good: what is in flight is aborted and not applied. */
  stop(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new DOMException('the sync was stopped', 'AbortError'));
    this.#inFlight.abort(this.#end.signal.reason);
    this.#pace.stop();
    this.#unsubscribe?.();
    for (const { reject } of this.#waiters) reject(this.#end.signal.reason);
    this.#waiters.clear();
  }

  /** Pulls at once; resolves when what is applied is as new as what had been heard of now, and a pull was made. */
  refresh(): Promise<void> {
    const { signal } = this.#end;
    if (signal.aborted) return Promise.reject(signal.reason);
    const waiting = new Promise<void>((resolve, reject) => {
      // A pull that has begun may have read before the caller's moment.
      this.#waiters.add({ target: this.#target, resolve, reject });
    });
    this.#hurry?.();
    this.#wantPull();
    return waiting;
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
    if (this.#target?.epoch === epoch) {
      this.#target = { epoch, revision: maxRevision(this.#target.revision, revision) };
    } else this.#target = { epoch, revision };
    if (this.#isBehind()) this.#pace.want();
  }

  /** Whether something was heard of that is newer than what is applied. */
  #isBehind(): boolean {
    const [known, target] = [this.#known, this.#target];
    return target !== null && (known?.epoch !== target.epoch || isOlder(known, target));
  }

  #wantPull(): void {
    this.#isWanted = true;
    if (!this.#isPulling) void this.#pullWhileWanted();
  }

  async #pullWhileWanted(): Promise<void> {
    const { signal } = this.#end;
    this.#isPulling = true;
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false;
      const before = new Set(this.#waiters);
      const isDone = await this.#pull();
      if (signal.aborted) break;
      if (isDone) this.#release(before);
      // What was heard of meanwhile is the pace's to follow, so that pulls are as far apart as was asked.
      if (isDone && (!this.#isBehind() || this.#pace.isHolding)) this.#backoff.reset();
      else if (!this.#isWanted) {
        await this.#waitToRetry();
        this.#isWanted = true;
      }
    }
    this.#isPulling = false;
  }

  /** Whether a state was fetched, and applied where it was new. */
  async #pull(): Promise<boolean> {
    const { signal } = this.#end;
    let snapshot: Snapshot<T> | null;
    try {
      this.counts.fetches++;
      this.#inFlight = new AbortController();
      snapshot = await this.#options.fetch(this.#known, this.#inFlight.signal);
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
    return this.#take(snapshot, { epoch, revision });
  }

  async #take(snapshot: Snapshot<T>, next: Known): Promise<boolean> {
    const { signal } = this.#end;
    const known = this.#known;
    const isNewEpoch = known?.epoch !== next.epoch;
    if (this.#target?.epoch === next.epoch && compareRevisions(next.revision, this.#target.revision) < 0)
      this.counts.stale++;
    if (!isNewEpoch && compareRevisions(next.revision, known.revision) <= 0) {
      this.counts.unchanged++;
      return true;
    }
    try {
      await this.#options.apply(snapshot, isNewEpoch || snapshot.reset === true);
    } catch (error) {
      this.#tell('apply', error);
      return false;
    }
    if (signal.aborted) return false;
    this.counts.applies++;
    this.#known = next;
    // What was heard of a database that is gone is no aim any more.
    if (this.#target !== null && this.#target.epoch !== next.epoch && known?.epoch === this.#target.epoch)
      this.#target = null;
    return true;
  }

  /** Those that asked before the pull began, and whose aim is reached; another database leaves none to be reached. */
  #release(asked: ReadonlySet<Waiter>): void {
    for (const waiter of asked) {
      const { target } = waiter;
      if (target !== null && target.epoch === this.#known?.epoch && isOlder(this.#known, target)) continue;
      if (this.#waiters.delete(waiter)) waiter.resolve();
    }
  }

  async #waitToRetry(): Promise<void> {
    const hurry = new AbortController();
    this.#hurry = () => hurry.abort();
    const signal = AbortSignal.any([this.#end.signal, hurry.signal]);
    try {
      await sleep(this.#backoff.next(), this.#clock, signal);
    } catch {
      // Stopped, or not to be waited for.
    } finally {
      this.#hurry = undefined;
    }
  }

  #tell(phase: Phase, error: unknown): void {
    try {
      this.#options.onError?.(phase, error);
    } catch {
      // Whoever hears of errors must not cause any.
    }
  }
}

/** Of one epoch. */
function isOlder(a: Known, b: Known): boolean {
  return compareRevisions(a.revision, b.revision) < 0;
}

function isInvalidation(heard: unknown): heard is Invalidation & { readonly revision: Revision } {
  if (typeof heard !== 'object' || heard === null) return false;
  const { topic, revision, epoch } = heard as Partial<Record<keyof Invalidation, unknown>>;
  return (
    typeof topic === 'string' && topic.trim() !== '' && typeof epoch === 'string' && isRevision(revision)
  );
}
