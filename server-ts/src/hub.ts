/**
 * Passes committed events on to the clients of the stream: every row is read and rendered once for all of them.
 *
 * While anyone subscribes, one tail reads new rows once, as frames, into a ring of bounded bytes that all
 * share. A subscription is a cursor and a filter: inside the ring it takes frames from there, behind it it
 * reads a page of its own from the database. So a slow client costs one page, loses nothing and holds up
 * nobody (rule STR-08). Nothing is known here of SSE headers or of sockets; frames come from the readers.
 */
import { LIMITS } from './contract.ts';
import { Ring, type StreamFilter } from './ring.ts';
import type { EventFilter } from './store/query.ts';
import type { Frames } from './store/read.ts';

/** What the hub needs of the store. */
export interface FrameSource {
  readonly newest: number;
  frames(filter: EventFilter): Promise<Frames>;
}

/** What a subscription gives: bytes to send, silence for as long as was asked, or the end. */
export type Next = Uint8Array | 'idle' | 'end';

/** Places for stream clients, of whatever kind (rule STR-09). */
export class Places {
  private readonly most: number;
  private count = 0;

  constructor(most: number) {
    this.most = most;
  }

  get taken(): number {
    return this.count;
  }

  /** Whether there was one left, which is then taken. */
  take(): boolean {
    if (this.count >= this.most) return false;
    this.count++;
    return true;
  }

  /** Gives one back. */
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

  constructor(source: FrameSource, places: Places, onTailFailure: (error: unknown) => void) {
    this.source = source;
    this.places = places;
    this.onTailFailure = onTailFailure;
  }

  get clients(): number {
    return this.subscriptions.size;
  }

  /** Told the newest committed id. */
  published(): void {
    if (this.subscriptions.size > 0) void this.tail();
  }

  /** A frame that is no event, to every subscriber. One that has not taken the last one skips it. */
  broadcast(frame: Uint8Array): void {
    for (const subscription of this.subscriptions) subscription.offer(frame);
  }

  /** A subscription behind this id, or nothing when all slots are taken. Its `close` frees the slot. */
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

  /** Reads what is new, page by page, until nothing is; one at a time. */
  private async tail(): Promise<void> {
    if (this.tailing) return;
    this.tailing = true;
    try {
      while (this.subscriptions.size > 0 && this.ring.to < this.source.newest) {
        const newest = this.source.newest;
        const frames = await this.source.frames(pageAfter(this.ring.to, newest, {}));
        this.ring.append(frames, newest);
        for (const subscription of this.subscriptions) subscription.wake();
      }
    } catch (error) {
      // The subscribers read from the database themselves when they fall behind the ring.
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
  private offered: Uint8Array | undefined;
  private waiting: (() => void) | undefined;
  private ended = false;

  constructor(hub: Hub, source: FrameSource, filter: StreamFilter, cursor: number, release: () => void) {
    this.hub = hub;
    this.source = source;
    this.filter = filter;
    this.cursor = cursor;
    this.release = release;
  }

  /** What to send next; `idle` after this many milliseconds without anything. */
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
          if (page.length > 0) return page;
          continue;
        }
        this.cursor = shared.cursor;
        if (shared.bytes.length > 0) return Buffer.concat(shared.bytes);
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

  /** Frames that are no events are not kept for those who are behind: the newest replaces the last. */
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

  /** Rows that the ring no longer has, with this subscription's own filter. */
  private async page(newest: number): Promise<Uint8Array> {
    const frames = await this.source.frames(pageAfter(this.cursor, newest, this.filter));
    this.cursor = frames.more ? frames.ids.at(-1)! : newest;
    return frames.bytes;
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
    limit: LIMITS.stream_page_events,
  };
}
