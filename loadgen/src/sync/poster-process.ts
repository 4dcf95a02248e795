/**
 * The process that posts: a burst, posts at fixed times, or posts at saturation, one order at a time.
 *
 * It is a separate process, so that posting takes no CPU time from the followers. Invariants: bodies are made before
 * the clock starts, except in a closed loop. Times are those of {@link nowMs}, which all processes share. A response
 * that is not 2xx or has no revision fails the order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { batchText, eventText, type Shape } from './bodies.ts';
import { Connections } from './connections.ts';

interface Common {
  readonly url: string;
  readonly shape: Shape;
  /** Number of the first event. */
  readonly first: number;
}

/** Posts as fast as possible. `concurrency` is the number of single events in flight; `null` sends one batch. */
export interface Burst extends Common {
  readonly kind: 'burst';
  readonly events: number;
  readonly concurrency: number | null;
}

/** Sends `requests` requests. Request k is due at `k * batch / per_s` seconds. A `batch` of 1 posts single events. */
export interface Paced extends Common {
  readonly kind: 'paced';
  readonly per_s: number;
  readonly batch: number;
  readonly requests: number;
  readonly connections: number;
}

/** Each connection posts its next batch after the previous response, until all events are sent or the time is over. */
export interface Closed extends Common {
  readonly kind: 'closed';
  readonly batch: number;
  readonly connections: number;
  readonly events: number;
  readonly seconds: number;
}

export type Order = Burst | Paced | Closed;

/** The revision of a response and when the response came. `from_ms` is when the request was due, or was written. */
export interface Answer {
  readonly from_ms: number;
  readonly answered_ms: number;
  readonly revision: string;
}

export interface Posted {
  readonly started_ms: number;
  readonly ended_ms: number;
  readonly events: number;
  /** The largest revision of all responses. */
  readonly revision: string;
  /** In the order in which they came; empty for a closed loop. */
  readonly answers: readonly Answer[];
  readonly cpu_us: number;
}

export type Reply = { readonly kind: 'posted'; readonly posted: Posted };

class Poster {
  readonly #connections: Connections;
  readonly #answers: Answer[] = [];
  #revision = 0n;
  #events = 0;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async carryOut(order: Order): Promise<Posted> {
    const cpu = process.cpuUsage();
    const started_ms = await this.#send(order);
    const ended_ms = nowMs();
    const used = process.cpuUsage(cpu);
    return {
      started_ms,
      ended_ms,
      events: this.#events,
      revision: String(this.#revision),
      answers: order.kind === 'closed' ? [] : this.#answers,
      cpu_us: used.user + used.system,
    };
  }

  /** Sends the order, and returns when it began. */
  #send(order: Order): Promise<number> {
    switch (order.kind) {
      case 'burst':
        return this.#burst(order);
      case 'paced':
        return this.#paced(order);
      case 'closed':
        return this.#closed(order);
    }
  }

  async #burst({ shape, first, events, concurrency }: Burst): Promise<number> {
    if (concurrency === null) {
      const body = batchText(shape, first, events);
      const started_ms = nowMs();
      await this.#post('/api/events/batch', body, events, started_ms);
      return started_ms;
    }
    const bodies = Array.from({ length: events }, (_, i) => eventText(shape, first + i));
    const started_ms = nowMs();
    let next = 0;
    const worker = async () => {
      while (next < bodies.length) await this.#post('/api/events', bodies[next++]!, 1, nowMs());
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return started_ms;
  }

  async #paced({ shape, first, per_s, batch, requests }: Paced): Promise<number> {
    const path = batch === 1 ? '/api/events' : '/api/events/batch';
    const bodies = Array.from({ length: requests }, (_, i) =>
      batch === 1 ? eventText(shape, first + i) : batchText(shape, first + i * batch, batch),
    );
    const interval_ms = (batch / per_s) * 1000;
    const started_ms = nowMs();
    const posts: Promise<void>[] = [];
    for (let i = 0; i < requests; i++) {
      const due_ms = started_ms + i * interval_ms;
      for (let rest = due_ms - nowMs(); rest > 0; rest = due_ms - nowMs()) await sleep(rest);
      const post = this.#post(path, bodies[i]!, batch, due_ms);
      // The posts are awaited after the loop. This handler prevents an unhandled rejection until then.
      post.catch(() => undefined);
      posts.push(post);
    }
    await Promise.all(posts);
    return started_ms;
  }

  async #closed({ shape, first, batch, connections, events, seconds }: Closed): Promise<number> {
    const started_ms = nowMs();
    let next = first;
    const worker = async () => {
      while (next < first + events && nowMs() - started_ms < seconds * 1000) {
        const count = Math.min(batch, first + events - next);
        const body = batchText(shape, next, count);
        next += count;
        await this.#post('/api/events/batch', body, count, nowMs());
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return started_ms;
  }

  async #post(path: string, body: string, events: number, from_ms: number): Promise<void> {
    const { status, text } = await this.#connections.post(path, body);
    const answered_ms = nowMs();
    const said = status < 300 ? (JSON.parse(text) as { revision?: unknown; received?: unknown }) : {};
    const { revision, received } = said;
    if (typeof revision !== 'string' || received !== events)
      throw new Error(`POST ${path} answered ${status} ${text.slice(0, 200)}`);
    this.#events += events;
    const number = BigInt(revision);
    if (number > this.#revision) this.#revision = number;
    this.#answers.push({ from_ms, answered_ms, revision });
  }
}

let connections: Connections | undefined;
let key = '';
serve<Order, Reply>(async (order) => {
  const count = order.kind === 'burst' ? (order.concurrency ?? 1) : order.connections;
  if (key !== `${order.url} ${count}`) {
    connections?.close();
    connections = new Connections(order.url, count);
    key = `${order.url} ${count}`;
  }
  return { kind: 'posted', posted: await new Poster(connections!).carryOut(order) };
});
