/**
 * The warm-up of a round. It has the same number of events in every round, and reports whether two consecutive parts
 * agree within 5 %.
 *
 * Invariants: the audit counts warm-up events like all others. Their number is fixed before the first round, so that
 * every round begins on a table of the same size (decision 68). A server that does not become steady is measured, and
 * the result states it.
 */
import type { Range } from '../load/bodies.ts';
import type { Sent } from '../load/drivers/driver.ts';
import type { WarmUp } from '../observe/sample.ts';
import { WARMUP_S } from '../plan/lengths.ts';

export interface Warming {
  /** Number of the first event that may be sent. */
  readonly first: number;
  /** Events to send; `null`: four seconds at the rate of an open loop. */
  readonly events: number | null;
  readonly batch_size: number;
  /** Rate of an open loop; `null` in a closed loop. */
  readonly rate_events_per_s: number | null;
  send(range: Range, rate_events_per_s: number | null): Promise<Sent>;
}

export interface Warmed {
  readonly warm_up: WarmUp;
  /** Number of the first event that was not sent. */
  readonly next: number;
}

const AGREE = 0.05;

/** Number of parts after the first requests of a closed loop. */
const PARTS = 4;

/** Seconds of an open loop at the requested rate, after one second at a possibly higher rate. */
const SECONDS_AT_RATE = WARMUP_S.open - 1;

/** Number of first requests of a closed loop. Their throughput is that of a cold server. */
const FIRST_REQUESTS = 400;

/** Minimum rate of the first second of an open loop. A lower rate would leave code cold. */
const BRISK_EVENTS_PER_S = 10_000;

export async function warmUp(warming: Warming): Promise<Warmed> {
  const sent: Sent[] = [];
  let next = warming.first;
  for (const { count, rate } of partsOf(warming)) {
    sent.push(await warming.send({ first: next, count }, rate));
    next += count;
  }
  // Without the first part: its server is cold, or its rate is higher.
  const parts_events_per_s = sent.slice(1).map(rateOf);
  const hasParts = parts_events_per_s.length > 0;
  const agreed = parts_events_per_s.some((rate, i, all) => i > 0 && agree(all[i - 1]!, rate));
  const warm_up = {
    steady: hasParts ? agreed : null,
    cold_events_per_s: hasParts && warming.rate_events_per_s === null ? rateOf(sent[0]!) : null,
    parts_events_per_s,
    sent: addSent(sent),
  };
  return { warm_up, next };
}

interface Part {
  readonly count: number;
  readonly rate: number | null;
}

function partsOf({ events, rate_events_per_s: rate, batch_size }: Warming): Part[] {
  if (events === null) {
    if (rate === null) throw new RangeError('a closed loop warms up with a number of events');
    const rates = [Math.max(rate, BRISK_EVENTS_PER_S), ...Array<number>(SECONDS_AT_RATE).fill(rate)];
    return rates.map((one) => ({ count: Math.ceil(one / batch_size) * batch_size, rate: one }));
  }
  const cold = FIRST_REQUESTS * batch_size;
  if (rate !== null || events < (1 + PARTS) * cold) return [{ count: events, rate }];
  const whole = Math.floor((events - cold) / PARTS / batch_size) * batch_size;
  const last = events - cold - (PARTS - 1) * whole;
  const counts = [cold, ...Array<number>(PARTS - 1).fill(whole), last];
  return counts.map((count) => ({ count, rate: null }));
}

/** Returns whether the throughputs of two parts differ by at most 5 %, so that the warm-up is complete. */
export function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= AGREE * Math.max(a, b);
}

function rateOf(sent: Sent): number {
  return sent.duration_ms === 0 ? 0 : (sent.received_events / sent.duration_ms) * 1000;
}

const SUMS = [
  'duration_ms',
  'requests',
  'sent_events',
  'sent_bytes',
  'received_events',
  'duplicate_events',
  'rejected_events',
  'non_2xx',
  'errors',
  'timeouts',
  'dropped_requests',
  'generator_cpu_us',
] as const;

/** Returns the sum of several parts. The sum has no latencies, since those of different parts cannot be combined. */
function addSent(parts: readonly Sent[]): Sent {
  const sums = SUMS.map((key) => [key, parts.reduce((total, part) => total + part[key], 0)]);
  const status_codes: Record<string, number> = {};
  for (const [code, count] of parts.flatMap((part) => Object.entries(part.status_codes)))
    status_codes[code] = (status_codes[code] ?? 0) + count;
  return { ...Object.fromEntries(sums), status_codes, latency: null, send_delay: null } as Sent;
}
