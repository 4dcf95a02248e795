/**
 * Passes the revisions of topics on to the clients that follow them.
 *
 * Nothing is queued: a client has slots (`slots`), and what it is told is looked up when it is due. Whoever is
 * inside its interval, or has not taken what came before, costs nothing however much is published. The common
 * topics are one number in memory; the sessions of all who are due are read together, one read at a time.
 * Knows nothing of HTTP, of frames or of SQL.
 */
import type { Places } from './hub.ts';
import { type Change, Slots } from './slots.ts';
import type { Topic } from './topics.ts';

/** What invalidations need of the store. */
export interface RevisionSource {
  readonly newest: number;
  sessionRevisions(ids: readonly string[]): Promise<Float64Array>;
}

/** What changed, in the order of the topics; silence for as long as was asked; or the end. */
type NextChanges = readonly Change[] | 'idle' | 'end';

/** How many clients are told before others are served. */
const TOLD_IN_ONE_TURN = 32;

export class Invalidations {
  readonly source: RevisionSource;
  private readonly places: Places;
  private readonly onReadFailure: (error: unknown) => void;
  private readonly subscriptions = new Set<Subscription>();
  /** Those that are to be told of the next change at once. */
  private readonly ready = new Set<Subscription>();
  private readonly waiters = new Set<Waiter>();
  /** The lowest revision that is waited for, so that a publication looks at nobody in vain. */
  private lowest = Number.POSITIVE_INFINITY;
  /** Those that may look again, as soon as it is their turn. */
  private readonly woken: Subscription[] = [];
  private waking = false;
  private reading = false;
  private closed = false;

  constructor(source: RevisionSource, places: Places, onReadFailure: (error: unknown) => void) {
    this.source = source;
    this.places = places;
    this.onReadFailure = onReadFailure;
  }

  /** The newest id has risen. */
  published(): void {
    if (this.source.newest >= this.lowest) this.wakeWaiters();
    if (this.ready.size === 0) return;
    for (const subscription of this.ready) if (subscription.sessionIds.length === 0) subscription.wake();
    void this.readSessions();
  }

  /** A client of these topics, or nothing when all places are taken. Its `close` gives the seat back. */
  subscribe(topics: readonly Topic[], minIntervalMs: number): Subscription | undefined {
    if (this.closed || !this.places.take()) return undefined;
    const subscription = new Subscription(this, topics, minIntervalMs, () => {
      this.subscriptions.delete(subscription);
      this.ready.delete(subscription);
      this.places.leave();
    });
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Resolves once the newest id is at least this, after this long, when the signal says so, or when all ends. */
  reached(revision: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted || this.source.newest >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiters.delete(waiter);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const waiter: Waiter = { revision, done };
      signal.addEventListener('abort', done);
      this.waiters.add(waiter);
      this.lowest = Math.min(this.lowest, revision);
    });
  }

  /** Ends every subscription and every waiting. */
  close(): void {
    this.closed = true;
    for (const subscription of [...this.subscriptions]) subscription.close();
    for (const { done } of [...this.waiters]) done();
  }

  /** From now on it is woken by a change; one that has sessions has them read where they may have changed. */
  await(subscription: Subscription): void {
    this.ready.add(subscription);
    if (subscription.sessionIds.length > 0) void this.readSessions();
  }

  /** It is not to be told of anything for now. */
  leave(subscription: Subscription): void {
    this.ready.delete(subscription);
  }

  /** Lets clients look again, some in each turn of the event loop, so that others are served in between. */
  inTurn(subscription: Subscription): void {
    this.woken.push(subscription);
    if (this.waking) return;
    this.waking = true;
    const wakeSome = (): void => {
      for (const one of this.woken.splice(0, TOLD_IN_ONE_TURN)) one.proceed();
      this.waking = this.woken.length > 0;
      if (this.waking) setImmediate(wakeSome);
    };
    setImmediate(wakeSome);
  }

  private wakeWaiters(): void {
    const { newest } = this.source;
    for (const { revision, done } of [...this.waiters]) if (revision <= newest) done();
    this.lowest = Number.POSITIVE_INFINITY;
    for (const { revision } of this.waiters) this.lowest = Math.min(this.lowest, revision);
  }

  /** Reads the sessions of all who are ready and behind, round after round, until nobody is. */
  private async readSessions(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      while (!this.closed) {
        const { newest } = this.source;
        const behind = [...this.ready].filter((subscription) => subscription.readTo < newest);
        if (behind.length === 0) break;
        const ids = [...new Set(behind.flatMap(({ sessionIds }) => sessionIds))];
        const revisions = await this.source.sessionRevisions(ids);
        const found = new Map(ids.map((id, at) => [id, revisions[at]!]));
        for (const subscription of behind) subscription.read(newest, found);
      }
    } catch (error) {
      // Whoever is behind is read with the next publication, or after its next silence.
      this.onReadFailure(error);
    } finally {
      this.reading = false;
    }
  }
}

interface Waiter {
  readonly revision: number;
  readonly done: () => void;
}

/** One client: its slots, and when it may be told of them. */
export class Subscription {
  /** The sessions among its topics, each once. */
  readonly sessionIds: readonly string[];
  /** Its sessions are known as of this newest id, or a later one; without sessions there is nothing to read. */
  readTo: number;
  private readonly owner: Invalidations;
  private readonly slots: Slots;
  private readonly hasCommon: boolean;
  private readonly minIntervalMs: number;
  private readonly release: () => void;
  private notBefore = Number.NEGATIVE_INFINITY;
  private wasTold = false;
  private waiting: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isWoken = false;
  private ended = false;

  constructor(owner: Invalidations, topics: readonly Topic[], minIntervalMs: number, release: () => void) {
    this.owner = owner;
    this.slots = new Slots(topics);
    this.sessionIds = topics.flatMap((topic) => (topic.kind === 'session' ? [topic.sessionId] : []));
    this.readTo = this.sessionIds.length === 0 ? Number.POSITIVE_INFINITY : -1;
    this.hasCommon = this.sessionIds.length < topics.length;
    this.minIntervalMs = minIntervalMs;
    this.release = release;
  }

  /** What to tell next; `idle` after this many milliseconds without anything. Asked again once it was written. */
  async next(idleMs: number): Promise<NextChanges> {
    let now = performance.now();
    if (this.wasTold) this.notBefore = now + this.minIntervalMs;
    this.wasTold = false;
    const deadline = now + idleMs;
    let dueAt = Number.POSITIVE_INFINITY;
    while (!this.ended) {
      const isDue = now >= this.notBefore;
      // Its sessions are told with the other topics: they are read up to where it became due, then all are taken.
      if (isDue) dueAt = Math.min(dueAt, this.owner.source.newest);
      const changes = isDue && this.readTo >= dueAt ? this.take() : [];
      if (changes.length > 0) {
        this.wasTold = true;
        return changes;
      }
      if (now >= deadline) return 'idle';
      this.timer = setTimeout(
        () => this.wake(),
        (isDue ? deadline : Math.min(this.notBefore, deadline)) - now,
      );
      const woken = new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
      if (isDue) this.owner.await(this);
      await woken;
      now = performance.now();
    }
    return 'end';
  }

  /** Lets it look again in its turn; until it asks for more it is nobody to be told. */
  wake(): void {
    if (this.waiting === undefined || this.isWoken) return;
    this.isWoken = true;
    clearTimeout(this.timer);
    this.owner.leave(this);
    this.owner.inTurn(this);
  }

  /** It is its turn. */
  proceed(): void {
    this.isWoken = false;
    this.waiting?.();
    this.waiting = undefined;
  }

  /** Told the revisions of its sessions, of when the newest id was this or a later one. */
  read(newest: number, revisions: ReadonlyMap<string, number>): void {
    this.readTo = newest;
    this.slots.topics.forEach((topic, at) => {
      if (topic.kind === 'session') this.slots.offer(at, revisions.get(topic.sessionId) ?? 0);
    });
    if (this.hasCommon || this.slots.isDue) this.wake();
  }

  close(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.release();
    this.proceed();
  }

  private take(): readonly Change[] {
    const { newest } = this.owner.source;
    this.slots.topics.forEach((topic, at) => {
      if (topic.kind !== 'session') this.slots.offer(at, newest);
    });
    return this.slots.take();
  }
}
