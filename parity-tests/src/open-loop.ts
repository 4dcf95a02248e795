/**
 * Offers batches to a server at a fixed rate, whatever it answers. Runs as a program of its own, so that the test and
 * the generator do not delay each other.
 *
 * Usage: open-loop.ts PORT RATE SECONDS BATCH. RATE is in requests a second; 0 is a closed loop of 10 connections. It
 * prints one line, an `Offered`. A latency counts from the time at which the request was due.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';

export interface Offered {
  readonly requests: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without an answer. */
  readonly failures: number;
  /** Events of the answers 201. */
  readonly events: number;
  /** Acknowledged events a second, up to the end of the offer. */
  readonly goodput: number;
  /** Latencies of the answers 201 up to the end of the offer, in milliseconds. The server then stores what still waits. */
  readonly p50: number;
  readonly p99: number;
  /** The same of the other answers; null without one. */
  readonly refusedP99: number | null;
  /** Delays of the generator itself: from the time at which a request was due to its sending. */
  readonly lateP99: number;
}

const CLOSED_LOOP = 10;
const TICK_MS = 10;

const [port, rate, seconds, batch] = process.argv.slice(2).map(Number) as [number, number, number, number];
const body = Buffer.from(JSON.stringify({ events: Array.from({ length: batch }, () => event()) }));
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
const statuses: Record<string, number> = {};
const latencies: number[] = [];
const refusals: number[] = [];
const delays: number[] = [];
const totals = { requests: 0, failures: 0, events: 0, inTime: 0 };
const begun = performance.now();
const end = begun + seconds * 1_000;

function send(dueMs: number): Promise<void> {
  totals.requests += 1;
  delays.push(performance.now() - dueMs);
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve) => {
    const fail = (): void => {
      totals.failures += 1;
      resolve();
    };
    const sent = request({ port, method: 'POST', path: '/api/events/batch', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('error', fail).on('end', () => {
        note(answer.statusCode ?? 0, text, dueMs);
        resolve();
      });
    });
    sent.on('error', fail).end(body);
  });
}

function note(status: number, text: string, dueMs: number): void {
  const now = performance.now();
  statuses[status] = (statuses[status] ?? 0) + 1;
  if (status !== 201) {
    refusals.push(now - dueMs);
    return;
  }
  const { received } = JSON.parse(text) as { received: number };
  totals.events += received;
  if (now > end) return;
  totals.inTime += received;
  latencies.push(now - dueMs);
}

async function offerOpenly(): Promise<void> {
  const all: Promise<void>[] = [];
  for (let number = 0; performance.now() < end; await pause(TICK_MS)) {
    for (; begun + (number * 1_000) / rate <= performance.now(); number += 1)
      all.push(send(begun + (number * 1_000) / rate));
  }
  await Promise.all(all);
}

async function offerClosed(): Promise<void> {
  const loop = async (): Promise<void> => {
    while (performance.now() < end) await send(performance.now());
  };
  await Promise.all(Array.from({ length: CLOSED_LOOP }, loop));
}

await (rate === 0 ? offerClosed() : offerOpenly());
agent.destroy();
/** Returns the value below which this share of the values is. */
function rank(values: number[], share: number): number {
  values.sort((one, other) => one - other);
  return values[Math.floor(values.length * share)] ?? Number.NaN;
}

const { requests, failures, events, inTime } = totals;
const offered: Offered = {
  requests,
  statuses,
  failures,
  events,
  goodput: inTime / seconds,
  p50: rank(latencies, 0.5),
  p99: rank(latencies, 0.99),
  refusedP99: refusals.length === 0 ? null : rank(refusals, 0.99),
  lateP99: rank(delays, 0.99),
};
process.stdout.write(`${JSON.stringify(offered)}\n`);
