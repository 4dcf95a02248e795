/**
 * Passes committed events on to the stream's clients: every row is read and rendered once for all of them.
 *
 * While a client is subscribed, one tail reads new rows once, as frames, into a shared ring of bounded size. A
 * subscription is a cursor and a filter. Inside the ring it takes frames from there; behind the ring it reads its own
 * page from the database. So a slow client costs one page, loses nothing and delays no other client (rule STR-08).
 * The hub knows nothing of SSE headers or sockets; frames come from the readers.
 */
import { TUNING } from './contract.ts';
import type { Meters } from './meters.ts';
import { Ring, type StreamFilter } from './ring.ts';
import type { EventFilter } from './store/query.ts';
import type { Frames } from './store/read.ts';
import { ReadFailed } from './store/reader.ts';

/** The parts of the store that the hub needs. */
export interface FrameSource {
  readonly newest: number;
  readonly meters: Pick<Meters, 'countDelivery'>;
  frames(filter: EventFilter): Promise<Frames>;
}

/** Result of a subscription: bytes to send, silence for the requested time, or the end. */
export type Next = Uint8Array | 'idle' | 'end';

/** Places for stream clients of both modes (rule STR-09). */
export class Places {
  private readonly most: number;
  private count = 0;

  constructor(most: number) {
    this.most = most;
  }

  get taken(): number {
    return this.count;
  }

  /** Takes a place if one is free; returns whether it did. */
  take(): boolean {
    if (this.count >= this.most) return false;
    this.count++;
    return true;
  }

  /** Frees a place. */
  leave(): void {
    this.count--;
  }
}

export class Hub {
  private readonly source: FrameSource;
  private readonly places: Places;
  private readonly subscriptions = new Set<Subscription>();
  readonly ring = new Ring();
  private tailing = false;
  private onTailFailure: (error: unknown) => void;
  private closed = false;
  /** Number of deletions that clients asked for. */
  private deletions = 0;

  constructor(source: FrameSource, places: Places, onTailFailure: (error: unknown) => void) {
    this.source = source;
    this.places = places;
    this.onTailFailure = onTailFailure;
  }

  get clients(): number {
    return this.subscriptions.size;
  }

  /** Drops all frames, which may be of deleted rows (rule RET-05). */
  forget(): void {
    this.deletions++;
    this.ring.restart(this.ring.to);
  }

  /** Called when the newest committed id has risen. */
  published(): void {
    if (this.subscriptions.size > 0) void this.tail();
  }

  /**
   * Offers a frame that is not an event to every subscriber. A subscriber that has not taken the last one skips it.
   */
  broadcast(frame: Uint8Array): void {
    for (const subscription of this.subscriptions) subscription.offer(frame);
  }

  /**
   * Subscribes after this id; returns `undefined` when all places are taken. The subscription's `close` frees its
   * place.
   */
  subscribe(filter: StreamFilter, cursor: number): Subscription | undefined {
    if (this.closed || !this.places.take()) return undefined;
    if (this.subscriptions.size === 0 && !this.tailing) this.ring.restart(this.source.newest);
    const subscription = new Subscription(this, this.source, filter, cursor, () => {
      this.subscriptions.delete(subscription);
      this.places.leave();
      if (this.subscriptions.size === 0) this.ring.restart(this.source.newest);
    });
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Ends every subscription. */
  close(): void {
    this.closed = true;
    for (const subscription of [...this.subscriptions]) subscription.close();
  }

  /** Reads new rows page by page until there are none; runs once at a time. */
  private async tail(): Promise<void> {
    if (this.tailing) return;
    this.tailing = true;
    try {
      while (this.subscriptions.size > 0 && this.ring.to < this.source.newest) {
        const { deletions } = this;
        const newest = this.source.newest;
        const frames = await this.source.frames(pageAfter(this.ring.to, newest, {}));
        // The page may have deleted rows.
        if (deletions !== this.deletions) continue;
        this.ring.append(frames);
        for (const subscription of this.subscriptions) subscription.wake();
      }
    } catch (error) {
      // Subscribers behind the ring read from the database themselves.
      this.ring.restart(this.source.newest);
      this.onTailFailure(error);
    } finally {
      this.tailing = false;
      if (this.subscriptions.size === 0) this.ring.restart(this.source.newest);
    }
  }
}

export class Subscription {
  private readonly hub: Hub;
  private readonly source: FrameSource;
  private readonly filter: StreamFilter;
  private readonly release: () => void;
  private cursor: number;
  /** The newest id at the start of the subscription. */
  private readonly newestAtStart: number;
  private offered: Uint8Array | undefined;
  private waiting: (() => void) | undefined;
  private ended = false;

  constructor(hub: Hub, source: FrameSource, filter: StreamFilter, cursor: number, release: () => void) {
    this.hub = hub;
    this.source = source;
    this.filter = filter;
    this.cursor = cursor;
    this.newestAtStart = source.newest;
    this.release = release;
  }

  /** Returns the next bytes; `idle` after this many milliseconds without any. */
  async next(idleMs: number): Promise<Next> {
    const deadline = performance.now() + idleMs;
    while (!this.ended) {
      const { offered } = this;
      if (offered !== undefined) {
        this.offered = undefined;
        return offered;
      }
      const newest = this.source.newest;
      if (this.cursor < newest) {
        const shared = this.hub.ring.framesAfter(this.cursor, this.filter);
        if (shared === undefined) {
          const page = await this.page(newest);
          if (page === undefined && performance.now() >= deadline) return 'idle';
          if (page === undefined) await this.woken(TUNING.storage_watch_ms);
          else if (page.length > 0) return page;
          continue;
        }
        this.cursor = shared.cursor;
        if (shared.bytes.length > 0) {
          this.countDelivery(shared.first);
          return shared.bytes;
        }
      }
      const left = deadline - performance.now();
      if (left <= 0) return 'idle';
      this.hub.published();
      await this.woken(left);
    }
    return 'end';
  }

  wake(): void {
    this.waiting?.();
  }

  /** Keeps only the newest frame that is not an event, for a subscriber that is behind. */
  offer(frame: Uint8Array): void {
    this.offered = frame;
    this.wake();
  }

  close(): void {
    if (this.ended) return;
    this.ended = true;
    this.release();
    this.wake();
  }

  /** Reads rows that the ring no longer has; `undefined` while every reader is busy (rule STR-03). */
  private async page(newest: number): Promise<Uint8Array | undefined> {
    try {
      const frames = await this.source.frames(pageAfter(this.cursor, newest, this.filter));
      this.cursor = frames.scannedTo;
      if (frames.ids.length > 0) this.countDelivery(frames.ids[0]!);
      return frames.bytes;
    } catch (error) {
      if (error instanceof ReadFailed && error.code === 'storage_busy') return undefined;
      throw error;
    }
  }

  /** Counts a write whose oldest event has this id. Events from before the subscription were not sent late. */
  private countDelivery(first: number): void {
    if (first > this.newestAtStart) this.source.meters.countDelivery(first);
  }

  private woken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.waiting = done;
    });
  }
}

function pageAfter(cursor: number, newest: number, filter: StreamFilter): EventFilter {
  return {
    fields: { agent_type: filter.agentType, event_type: filter.eventType },
    sessionId: filter.sessionId,
    after: cursor,
    before: newest + 1,
    order: 'asc',
    limit: TUNING.stream_page_events,
  };
}
