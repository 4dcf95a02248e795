/**
 * Sends until the server is warm: two seconds in a row whose throughput agrees within 5 %, or a given number
 * of events.
 *
 * What must stay true: what is sent here is counted by the audit like everything else, and the next event is
 * the first that was not sent. A server that does not settle is measured all the same, and the result says so.
 */
import type { Range } from './bodies.ts';
import type { Sent } from './drivers/driver.ts';
import type { WarmUp } from './sample.ts';

export interface Warming {
  /** Number of the first event that may be sent. */
  readonly first: number;
  /** Events to send; `null`: until steady. */
  readonly events: number | null;
  readonly batch_size: number;
  /** Of an open loop; `null` in a closed one. */
  readonly rate_events_per_s: number | null;
  send(range: Range, rate_events_per_s: number | null): Promise<Sent>;
}

export interface Warmed {
  readonly warm_up: WarmUp;
  /** Number of the first event that was not sent. */
  readonly next: number;
}

const AGREE = 0.05;

/** A server on a noisy machine may never settle, and every second makes the table larger that it is measured on. */
const MOST_SECONDS = 4;

/** The first events of a closed loop, from which the length of the next part follows. */
const FIRST_REQUESTS = 400;

/** An open loop below this would leave code cold that the measurement is not about. */
const BRISK_EVENTS_PER_S = 10_000;

export async function warmUp(warming: Warming): Promise<Warmed> {
  const { events, first } = warming;
  if (events !== null) {
    const sent = await warming.send({ first, count: events }, warming.rate_events_per_s);
    return { warm_up: { steady: null, cold_events_per_s: null, sent }, next: first + events };
  }
  return warming.rate_events_per_s === null ? closed(warming) : open(warming, warming.rate_events_per_s);
}

async function closed(warming: Warming): Promise<Warmed> {
  let next = warming.first;
  const part = async (count: number) => {
    const sent = await warming.send({ first: next, count }, null);
    next += count;
    return sent;
  };
  const cold = await part(FIRST_REQUESTS * warming.batch_size);
  const parts = [cold];
  let last = rateOf(cold);
  let steady = false;
  for (let second = 1; second <= MOST_SECONDS && !steady; second++) {
    const sent = await part(Math.max(warming.batch_size, Math.round(last)));
    parts.push(sent);
    // The first second is compared to none: what was sent before it was cold.
    steady = second > 1 && agree(rateOf(sent), last);
    last = rateOf(sent);
  }
  return { warm_up: { steady, cold_events_per_s: rateOf(cold), sent: addSent(parts) }, next };
}

async function open(warming: Warming, rate: number): Promise<Warmed> {
  let next = warming.first;
  const second = async (events_per_s: number) => {
    const count = Math.ceil(events_per_s / warming.batch_size) * warming.batch_size;
    const sent = await warming.send({ first: next, count }, events_per_s);
    next += count;
    return sent;
  };
  const parts = [await second(Math.max(rate, BRISK_EVENTS_PER_S))];
  let steady = false;
  for (let i = 0; i < MOST_SECONDS && !steady; i++) {
    parts.push(await second(rate));
    const [before, last] = parts.slice(-2);
    steady = i > 0 && agree(rateOf(before!), rateOf(last!));
  }
  return { warm_up: { steady, cold_events_per_s: null, sent: addSent(parts) }, next };
}

function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= AGREE * Math.max(a, b);
}

function rateOf(sent: Sent): number {
  return sent.duration_ms === 0 ? 0 : (sent.received_events / sent.duration_ms) * 1000;
}

/** Several sends as one. Latencies of different parts say nothing together, so there are none. */
export function addSent(parts: readonly Sent[]): Sent {
  const sum = (key: keyof Sent) => parts.reduce((total, part) => total + (part[key] as number), 0);
  const status_codes: Record<string, number> = {};
  for (const part of parts) {
    for (const [code, count] of Object.entries(part.status_codes))
      status_codes[code] = (status_codes[code] ?? 0) + count;
  }
  return {
    duration_ms: sum('duration_ms'),
    requests: sum('requests'),
    sent_events: sum('sent_events'),
    sent_event_ids: sum('sent_event_ids'),
    sent_bytes: sum('sent_bytes'),
    received_events: sum('received_events'),
    duplicate_events: sum('duplicate_events'),
    rejected_events: sum('rejected_events'),
    non_2xx: sum('non_2xx'),
    errors: sum('errors'),
    timeouts: sum('timeouts'),
    dropped_requests: sum('dropped_requests'),
    status_codes,
    latency: null,
    send_delay: null,
    acknowledged_per_second: parts.flatMap((part) => part.acknowledged_per_second),
    generator_cpu_us: sum('generator_cpu_us'),
  };
}
