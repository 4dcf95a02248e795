/**
 * Keeps a state of the server's at hand: an invalidation says that it changed, a pull fetches it, one at a time.
 *
 * However many invalidations come, one fetch is in flight and at most one follows it. What must stay true: revisions
 * that are applied grow within an epoch; as long as it runs, what is applied reaches the largest revision that was
 * heard of, whatever fails in between; another epoch, which is another database, begins afresh, and so does a database
 * that was put back to an older state of itself, once it says so.
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
/** Bound of the first wait before another attempt. */
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
  /** The largest revision that was heard of, in its epoch. */
  #target: Known | null = null;
  #pulls = 0;
  /** Rises when nothing of before holds any more. */
  #timeline = 0;
  #isPulling = false;
  #isWanted = false;
  /** By `refresh`, since the newest pull began. */
  #isAsked = false;
  /** Of the newest pull alone: what `fetch` hangs on a signal stays there until it is collected, with this one. */
  #inFlight = new AbortController();
  /** Ends the wait before another attempt. */
  #hurry = () => {};

  constructor(options: SyncOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
    this.#backoff = new Backoff(RETRY_MS, options.random);
    this.#pace = new Pace({ ...FRAME, ...options.pace }, this.#clock, () => {
      // What was held back may have been fetched meanwhile.
      if (this.#isBehind()) this.#wantPull();
    });
    options.signal?.addEventListener('abort', () => this.stop(), { signal: this.#end.signal });
    if (options.signal?.aborted) this.stop();
  }

  /** What was applied last; `null` while it holds no more. */
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
    this.#waiters.reject(this.#end.signal.reason);
    this.#hurry();
  }

  /** Pulls at once; resolves when what is applied is as new as what had been heard of now, and a pull was made. */
  async refresh(): Promise<void> {
    this.#end.signal.throwIfAborted();
    const [target, pulls, timeline] = [this.#target, this.#pulls, this.#timeline];
    const refreshed = this.#waiters.add(() => {
      const known = this.#known;
      // A pull that had begun may have read before the caller's moment.
      if (known === null || pulls === this.#pulls) return false;
      // Another database leaves nothing to be reached, and neither does one that was put back.
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

  /** Whether something was heard of that is newer than what is applied. */
  #isBehind(): boolean {
    const [known, target] = [this.#known, this.#target];
    return target !== null && (known?.epoch !== target.epoch || isOlder(known, target));
  }

  /** Of what is known, was heard of or is under way nothing holds. */
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
      // What was heard of meanwhile is the pace's to follow, so that pulls are as far apart as was asked.
      if (isDone && (!this.#isBehind() || this.#isWanted || this.#pace.isHolding)) this.#backoff.reset();
      else {
        // However much is heard of meanwhile: a server that fails under load is not to be asked more often for it.
        if (!this.#isAsked)
          await wait(this.#backoff.next(), this.#clock, (hurry) => {
            this.#hurry = hurry;
          });
        this.#isWanted = true;
      }
    }
    this.#isPulling = false;
  }

  /** Whether a state was fetched, and applied where it was new. */
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
      // What was heard of since may be of either timeline: another pull reads after it.
      this.#forget();
      this.#isWanted = true;
    }
    this.#known = next;
    // What was heard of a database that is gone is no aim any more.
    if (this.#target !== null && this.#target.epoch !== next.epoch && known?.epoch === this.#target.epoch)
      this.#target = null;
    return true;
  }

  #tell(phase: Phase, error: unknown): void {
    try {
      this.#options.onError?.(phase, error);
    } catch {
      // Whoever hears of errors must not cause any.
    }
  }
}
