/**
 * The process that posts, one order at a time.
 *
 * It is a separate process, so that posting takes no CPU time from the followers. Invariants: bodies are made before
 * the clock starts, except for an order with a time limit. Times are those of {@link nowMs}, which all processes share.
 * A response that is not 2xx or has no revision fails the order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { Connection, eventText, type Shape } from './posting.ts';

export interface Order {
  readonly url: string;
  readonly shape: Shape;
  /** Number of the first event. */
  readonly first: number;
  /** Number of events in a request; 1 posts single events. */
  readonly batch: number;
  readonly requests: number;
  /** Number of connections. Each posts its next request after the previous response. */
  readonly connections: number;
  /** Request k is due at `k * batch / per_s` seconds; `null`: it is due at once. */
  readonly per_s: number | null;
  /** Time limit, after which the rest is not sent; `null` if there is none. */
  readonly seconds: number | null;
}

/** The revision of a response and when the response came. `from_ms` is when the request was due. */
export interface Answer {
  readonly from_ms: number;
  readonly answered_ms: number;
  readonly revision: string;
}

export interface Posted {
  readonly kind: 'posted';
  readonly started_ms: number;
  readonly ended_ms: number;
  readonly events: number;
  /** The largest revision of all responses. */
  readonly revision: string;
  /** In the order in which they came. */
  readonly answers: readonly Answer[];
}

async function carryOut(order: Order, connections: readonly Connection[]): Promise<Posted> {
  const { shape, first, batch, requests, per_s, seconds } = order;
  const bodyOf = (i: number) => {
    const events = Array.from({ length: batch }, (_, k) => eventText(shape, first + i * batch + k));
    return batch === 1 ? events[0]! : `{"events":[${events.join()}]}`;
  };
  const made = seconds === null ? Array.from({ length: requests }, (_, i) => bodyOf(i)) : [];
  const answers: Answer[] = [];
  const started_ms = nowMs();
  const end_ms = started_ms + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let next = 0;
  let largest = 0n;
  const work = async (connection: Connection) => {
    while (next < requests && nowMs() < end_ms) {
      const i = next++;
      const body = made[i] ?? bodyOf(i);
      const due_ms = per_s === null ? nowMs() : started_ms + (i * batch * 1000) / per_s;
      for (let rest = due_ms - nowMs(); rest > 0; rest = due_ms - nowMs()) await sleep(rest);
      const revision = await post(connection, body, batch);
      answers.push({ from_ms: due_ms, answered_ms: nowMs(), revision });
      if (BigInt(revision) > largest) largest = BigInt(revision);
    }
  };
  await Promise.all(connections.map(work));
  const ended_ms = nowMs();
  const [events, revision] = [answers.length * batch, String(largest)];
  return { kind: 'posted', started_ms, ended_ms, events, revision, answers };
}

/** Returns the revision of the response. */
async function post(connection: Connection, body: string, events: number): Promise<string> {
  const path = events === 1 ? '/api/events' : '/api/events/batch';
  const { status, text } = await connection.post(path, body);
  const said = status < 300 ? (JSON.parse(text) as { revision?: unknown; received?: unknown }) : {};
  const { revision, received } = said;
  if (typeof revision !== 'string' || received !== events)
    throw new Error(`POST ${path} answered ${status} ${text.slice(0, 200)}`);
  return revision;
}

let connections: readonly Connection[] = [];
let key = '';
serve<Order, Posted>(async (order) => {
  const wanted = `${order.url} ${order.connections}`;
  if (key !== wanted) {
    for (const connection of connections) connection.close();
    connections = Array.from({ length: order.connections }, () => new Connection(order.url));
    key = wanted;
  }
  return carryOut(order, connections);
});
