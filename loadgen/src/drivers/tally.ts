/**
 * Counts what was sent and what the answers said, with a clock of microseconds.
 *
 * What must stay true: an event is acknowledged when a 2xx answer's `received` says so, and never because it
 * was sent. An answer that cannot be read counts as none. Knows nothing of autocannon.
 */
import { quantile } from '../statistics.ts';
import type { Latency, Sent } from './driver.ts';

/** What the tool counts better itself. */
export interface Known {
  readonly sent_event_ids: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly generator_cpu_us: number;
}

export class Tally {
  readonly #latencies_ms: Float64Array;
  readonly #statusCodes: Record<string, number> = {};
  readonly #perSecond: number[] = [];
  #requests = 0;
  #answers = 0;
  #events = 0;
  #bytes = 0;
  #received = 0;
  #duplicates = 0;
  #rejected = 0;
  #non2xx = 0;
  #firstSent = Number.NaN;
  #lastAnswer = Number.NaN;

  constructor(requests: number) {
    this.#latencies_ms = new Float64Array(requests);
  }

  get acknowledged(): number {
    return this.#received;
  }

  /** Notes a request that is about to be written; returns the time, for `answered`. */
  sent(events: number, bytes: number): number {
    this.#requests++;
    this.#events += events;
    this.#bytes += bytes;
    const now = performance.now();
    if (this.#requests === 1) {
      this.#firstSent = now;
      this.#lastAnswer = now;
    }
    return now;
  }

  answered(status: number, body: string, sentAt: number): void {
    const now = performance.now();
    this.#lastAnswer = now;
    if (this.#answers < this.#latencies_ms.length) this.#latencies_ms[this.#answers] = now - sentAt;
    this.#answers++;
    this.#statusCodes[status] = (this.#statusCodes[status] ?? 0) + 1;
    const answer = status >= 200 && status < 300 ? readAnswer(body) : null;
    if (answer === null) {
      this.#non2xx++;
      return;
    }
    this.#received += answer.received;
    this.#duplicates += answer.duplicates;
    this.#rejected += answer.rejected;
    const second = Math.floor((now - this.#firstSent) / 1000);
    while (this.#perSecond.length <= second) this.#perSecond.push(0);
    this.#perSecond[second]! += answer.received;
  }

  result(known: Known): Sent {
    return {
      duration_ms: this.#requests === 0 ? 0 : this.#lastAnswer - this.#firstSent,
      requests: this.#requests,
      sent_events: this.#events,
      sent_event_ids: known.sent_event_ids,
      sent_bytes: this.#bytes,
      received_events: this.#received,
      duplicate_events: this.#duplicates,
      rejected_events: this.#rejected,
      non_2xx: this.#non2xx,
      errors: known.errors,
      timeouts: known.timeouts,
      status_codes: this.#statusCodes,
      latency: latencyOf(this.#latencies_ms.subarray(0, Math.min(this.#answers, this.#latencies_ms.length))),
      acknowledged_per_second: this.#perSecond,
      generator_cpu_us: known.generator_cpu_us,
    };
  }
}

interface Answer {
  readonly received: number;
  readonly duplicates: number;
  readonly rejected: number;
}

/** `{"received":n,"ids":[…],"duplicates":n,"rejected":[…]}` (contract, section 3). */
function readAnswer(body: string): Answer | null {
  try {
    const { received, duplicates, rejected } = JSON.parse(body) as Record<string, unknown>;
    if (typeof received !== 'number' || typeof duplicates !== 'number' || !Array.isArray(rejected))
      return null;
    return { received, duplicates, rejected: rejected.length };
  } catch {
    return null;
  }
}

function latencyOf(values: Float64Array): Latency | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted();
  return {
    p50_ms: quantile(sorted, 0.5),
    p90_ms: quantile(sorted, 0.9),
    p95_ms: quantile(sorted, 0.95),
    p99_ms: quantile(sorted, 0.99),
    p99_9_ms: quantile(sorted, 0.999),
    max_ms: sorted.at(-1)!,
    mean_ms: values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}
