/**
 * Notifies clients of the revisions of the topics that they follow.
 *
 * Changes are not queued: a client has the revisions of its topics (`slots`), which it reads when it is due. A client
 * inside its interval, or with untaken frames, costs nothing per commit. The common topics are one number in memory.
 * One read at a time reads the sessions of all due clients. Knows nothing of HTTP, of frames or of SQL.
 * Over 250 lines because a subscription and the fan-out share their state.
 */
import type { Places } from './hub.ts';
import { type Change, Slots } from './slots.ts';
import type { Topic } from './topics.ts';

/** The parts of the store that invalidations need. */
export interface RevisionSource {
  readonly newest: number;
  sessionRevisions(ids: readonly string[]): Promise<Float64Array>;
}

/** Changes in the order of the topics; silence for the requested time; or the end. */
type NextChanges = readonly Change[] | 'idle' | 'end';

/** Clients notified per turn of the event loop; other work runs in between. */
const NOTIFIED_PER_TURN = 32;

export class Invalidations {
  readonly source: RevisionSource;
  private readonly places: Places;
  private readonly onReadFailure: (error: unknown) => void;
  private readonly subscriptions = new Set<Subscription>();
  /** Clients to notify at the next change. */
  private readonly ready = new Set<Subscription>();
  private readonly waiters = new Set<Waiter>();
  /** The lowest awaited revision, so that a commit below it checks no client. */
  private lowest = Number.POSITIVE_INFINITY;
  /** Clients that may check again on their turn. */
  private readonly woken: Subscription[] = [];
  private waking = false;
  private reading = false;
  private closed = false;

  constructor(source: RevisionSource, places: Places, onReadFailure: (error: unknown) => void) {
    this.source = source;
    this.places = places;
    this.onReadFailure = onReadFailure;
  }

  /** Called when the newest id has risen. */
  published(): void {
    if (this.source.newest >= this.lowest) this.wakeWaiters();
    if (this.ready.size === 0) return;
    for (const subscription of this.ready) if (subscription.sessionIds.length === 0) subscription.wake();
    void this.readSessions();
  }

  /** Subscribes to these topics; `undefined` when all places are taken. `close` frees the subscription's place. */
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

  /** Resolves once the newest id is at least `revision`, after `ms`, when the signal aborts, or on close. */
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

  /** Ends every subscription and every wait. */
  close(): void {
    this.closed = true;
    for (const subscription of [...this.subscriptions]) subscription.close();
    for (const { done } of [...this.waiters]) done();
  }

  /**
   * Adds a subscription to the clients to notify. If it follows sessions, their revisions are read when they may have
   * changed.
   */
  await(subscription: Subscription): void {
    this.ready.add(subscription);
    if (subscription.sessionIds.length > 0) void this.readSessions();
  }

  /** Removes a subscription from the clients to notify. */
  leave(subscription: Subscription): void {
    this.ready.delete(subscription);
  }

  /** Lets clients check again, some in each turn of the event loop, so that other work runs in between. */
  inTurn(subscription: Subscription): void {
    this.woken.push(subscription);
    if (this.waking) return;
    this.waking = true;
    const wakeSome = (): void => {
      for (const one of this.woken.splice(0, NOTIFIED_PER_TURN)) one.proceed();
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

  /** Reads the sessions of all ready clients that are behind, round after round, until none is behind. */
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
      // A client that is still behind is read at the next commit, or after its next silence.
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

/** One client: its revisions, and the time of its next notification. */
export class Subscription {
  /** The distinct sessions among its topics. */
  readonly sessionIds: readonly string[];
  /** The newest id up to which its sessions are known; unused without sessions. */
  readTo: number;
  private readonly owner: Invalidations;
  private readonly slots: Slots;
  private readonly hasCommon: boolean;
  private readonly minIntervalMs: number;
  private readonly release: () => void;
  private notBefore = Number.NEGATIVE_INFINITY;
  private wasReported = false;
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

  /** Returns the next changes; `idle` after this many milliseconds. Called again once the frames are written. */
  async next(idleMs: number): Promise<NextChanges> {
    let now = performance.now();
    if (this.wasReported) this.notBefore = now + this.minIntervalMs;
    this.wasReported = false;
    const deadline = now + idleMs;
    let dueAt = Number.POSITIVE_INFINITY;
    while (!this.ended) {
      const isDue = now >= this.notBefore;
      // Sessions are reported together with the other topics. They are read up to the id at which the client became
      // due, then all are taken.
      if (isDue) dueAt = Math.min(dueAt, this.owner.source.newest);
      const changes = isDue && this.readTo >= dueAt ? this.take() : [];
      if (changes.length > 0) {
        this.wasReported = true;
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

  /** Lets the subscription check again on its turn. No change notifies it until its next wait. */
  wake(): void {
    if (this.waiting === undefined || this.isWoken) return;
    this.isWoken = true;
    clearTimeout(this.timer);
    this.owner.leave(this);
    this.owner.inTurn(this);
  }

  /** Continues the wait; called on the subscription's turn. */
  proceed(): void {
    this.isWoken = false;
    this.waiting?.();
    this.waiting = undefined;
  }

  /** Receives the revisions of its sessions, read when the newest id was at least `newest`. */
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
