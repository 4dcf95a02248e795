/**
 * Small events with random UUIDs, and both sides of the process that posts them, one order at a time.
 *
 * It is a separate process, so that posting takes no CPU time from the followers. Invariants: an event depends only on
 * the PRNG seed and on its number, and each number has its own `event_id`. Every event is posted once; a post that fails
 * ends the measurement. Requests are made before the clock starts, except for an order with a time limit. Times are those
 * of {@link nowMs}, which all processes share.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Exchange } from '../codecs/exchange.ts';
import { BenchFailure } from '../failure.ts';
import { uuidText } from '../load/uuid.ts';
import { nowMs } from '../observe/clock.ts';
import { startCpu } from '../observe/probe.ts';
import { Helper, serve } from '../run/helper.ts';
import type { Host, Launch } from '../run/host.ts';
import { latencyFrom } from './result.ts';
import type { Sizes } from './sizes.ts';

/** The events are distributed over so many sessions in turn. */
const SESSIONS = 10;
/** Bytes of an event's metadata, about the state of a slider. */
const METADATA_BYTES = 50;

/** Returns one event as JSON. */
export function eventText(seed: number, number: number): string {
  const value = String(number % 100).padEnd(METADATA_BYTES - '{"v":""}'.length, '.');
  return (
    `{"event_id":"${uuidText(seed, number)}","session_id":"bench-${number % SESSIONS}",` +
    `"agent_type":"bench","event_type":"tool_use","tool_name":"Slider","metadata":{"v":"${value}"}}`
  );
}

/** Returns the request that posts this event, or this batch of events. */
export function requestOf(events: readonly string[]): Buffer {
  const isOne = events.length === 1;
  const body = isOne ? events[0]! : `{"events":[${events.join()}]}`;
  const head =
    `POST /api/events${isOne ? '' : '/batch'} HTTP/1.1\r\nHost: localhost\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** Sends the request, and returns the revision of the response. Fails if it is not 2xx, or acknowledges less. */
export async function post(exchange: Exchange, request: Buffer, events: number): Promise<number> {
  const { status, body } = await exchange.send(request, true);
  const text = body.toString();
  const { revision, received } = (status < 300 ? JSON.parse(text) : {}) as Record<string, unknown>;
  if (typeof revision === 'string' && received === events) return Number(revision);
  const [line] = request.toString('latin1', 0, 100).split(' HTTP');
  throw new BenchFailure('generator_failed', `${line} answered ${status} ${text.slice(0, 200)}`);
}

export interface Load {
  /** Number of events in a request; 1 posts single events. */
  readonly batch: number;
  readonly requests: number;
  /** Number of connections. Each posts its next request after the previous response. */
  readonly connections: number;
  /** Request k is due at `k * batch / per_s` seconds; without it, at once. */
  readonly per_s?: number;
  /** Time limit, after which the rest is not sent. */
  readonly seconds?: number;
}

interface Order extends Load {
  readonly port: number;
  readonly seed: number;
  /** Number of the first event. */
  readonly first: number;
}

/** The revision of a response and when the response came. `from_ms` is when the request was due. */
export interface Answer {
  readonly from_ms: number;
  readonly answered_ms: number;
  readonly revision: number;
}

export type Posted = Awaited<ReturnType<typeof carryOut>>;

type PosterOrders = Readonly<{ post(order: Order): Promise<Posted> }>;

async function carryOut(order: Order, connections: readonly Exchange[]) {
  const { seed, first, batch, requests, per_s, seconds } = order;
  const make = (i: number) =>
    requestOf(Array.from({ length: batch }, (_, k) => eventText(seed, first + i * batch + k)));
  const made = seconds === undefined ? Array.from({ length: requests }, (_, i) => make(i)) : [];
  const answers: Answer[] = [];
  const started_ms = nowMs();
  const end_ms = started_ms + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let [next, newest] = [0, 0];
  const work = async (connection: Exchange) => {
    while (next < requests && nowMs() < end_ms) {
      const i = next++;
      const request = made[i] ?? make(i);
      const from_ms = per_s === undefined ? nowMs() : started_ms + (i * batch * 1000) / per_s;
      for (let rest = from_ms - nowMs(); rest > 0; rest = from_ms - nowMs()) await sleep(rest);
      const revision = await post(connection, request, batch);
      answers.push({ from_ms, answered_ms: nowMs(), revision });
      newest = Math.max(newest, revision);
    }
  };
  await Promise.all(connections.map(work));
  const [ended_ms, events] = [nowMs(), answers.length * batch];
  // `answers` are in the order in which they came, and `revision` is the largest of them.
  return { started_ms, ended_ms, events, revision: newest, answers };
}

/** The process's side: carries out the orders of the parent. */
export function servePosts(): void {
  let connections: readonly Exchange[] = [];
  let port = 0;
  const orders: PosterOrders = {
    post(order) {
      // A server that ended has closed its connections.
      const isUsable = port === order.port && connections.every(({ isOpen }) => isOpen);
      if (!isUsable || connections.length !== order.connections) {
        for (const connection of connections) connection.close();
        port = order.port;
        connections = Array.from({ length: order.connections }, () => new Exchange({ port }));
      }
      return carryOut(order, connections);
    },
  };
  serve(orders);
}

/**
 * The server holds 1,024 connections, and a thousand of them are the clients'. So few connections post, with many
 * events in each request.
 */
export const CONNECTIONS = 8;

export type Poster = ReturnType<typeof startPoster>;

/** The parent's side: starts the process. It ends with the run. */
export function startPoster({ placement, lifetime }: Launch, seed: number, sizes: Sizes) {
  const program = new URL('./poster-main.ts', import.meta.url);
  const helper = new Helper<PosterOrders>({ name: 'the poster', program, placement, lifetime });

  const post = (host: Host, load: Load): Promise<Posted> => {
    const first = host.posted;
    host.posted += load.batch * load.requests;
    return helper.ask('post', { port: host.port, seed, first, ...load });
  };

  /** Posts at a rate for so many seconds. */
  const offer = (host: Host, load: Omit<Load, 'requests'> & { per_s: number }, seconds: number) =>
    post(host, { ...load, requests: Math.max(1, Math.round((load.per_s * seconds) / load.batch)) });
  const usual = { per_s: sizes.load_events_per_s, batch: 50, connections: CONNECTIONS };

  return {
    post,
    offer,

    /** Posts at the usual rate before a measurement. */
    warmUp: (host: Host) => offer(host, usual, sizes.load_warm_up_s),

    /** Posts at the usual rate for the length of a round. Returns the posts, and figures of the server meanwhile. */
    async measuredLoad(host: Host) {
      const cpu = await startCpu(host.pid);
      const posted = await offer(host, usual, sizes.load_s);
      const cpu_us = await cpu();
      const took_ms = posted.ended_ms - posted.started_ms;
      // From when a post was due to its response.
      const waits = posted.answers.map(({ from_ms, answered_ms }) => answered_ms - from_ms);
      const figures = {
        ingest_events_per_s: (posted.events / took_ms) * 1000,
        ingest_p99_ms: latencyFrom(waits)!.p99_ms,
        server_cpu_us_per_event: cpu_us === null ? null : cpu_us / posted.events,
        server_cpu_share: cpu_us === null ? null : cpu_us / 1000 / took_ms,
      };
      return { posted, figures };
    },
  };
}
