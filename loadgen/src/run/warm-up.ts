/**
 * The warm-up of a round. It has the same number of events in every round, and reports whether two consecutive parts
 * agree within 5 %.
 *
 * Invariants: the audit counts warm-up events like all others. Their number is fixed before the first round, so that
 * every round begins on a table of the same size (decision 68). A server that does not become steady is measured, and
 * the result states it.
 */
import type { Sent } from '../load/drivers/driver.ts';
import type { WarmUp } from '../observe/sample.ts';
import { WARMUP_S } from '../plan/lengths.ts';

export interface Warming {
  /** Events to send; `null`: four seconds at the rate of an open loop. */
  readonly events: number | null;
  readonly batch_size: number;
  /** Rate of an open loop; `null` in a closed loop. */
  readonly rate_events_per_s: number | null;
  send(count: number, rate_events_per_s: number | null): Promise<Sent>;
}

const AGREE = 0.05;

/** Number of parts after the first requests of a closed loop. */
const PARTS = 4;

/** Number of first requests of a closed loop. Their throughput is that of a cold server. */
const FIRST_REQUESTS = 400;

/** Minimum rate of the first second of an open loop. A lower rate would leave code cold. */
const BRISK_EVENTS_PER_S = 10_000;

export async function warmUp(warming: Warming) {
  const rates: number[] = [];
  for (const { count, rate } of partsOf(warming)) {
    const { received_events, duration_ms } = await warming.send(count, rate);
    rates.push(duration_ms === 0 ? 0 : (received_events / duration_ms) * 1000);
  }
  // The server of the first part is cold, or the rate of the first part is higher.
  const [first, ...parts_events_per_s] = rates;
  const hasParts = parts_events_per_s.length > 0;
  const agreed = parts_events_per_s.some((rate, i, all) => i > 0 && agree(all[i - 1]!, rate));
  const warm_up: WarmUp = {
    steady: hasParts ? agreed : null,
    cold_events_per_s: hasParts && warming.rate_events_per_s === null ? first! : null,
    parts_events_per_s,
  };
  return { warm_up, pace_events_per_s: Math.max(...(hasParts ? parts_events_per_s : rates)) };
}

/** Returns the number of events of each part, and its rate. */
function partsOf({ events, rate_events_per_s: rate, batch_size }: Warming) {
  if (events === null) {
    if (rate === null) throw new RangeError('a closed loop warms up with a number of events');
    const rates = [Math.max(rate, BRISK_EVENTS_PER_S), ...Array<number>(WARMUP_S.open - 1).fill(rate)];
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
