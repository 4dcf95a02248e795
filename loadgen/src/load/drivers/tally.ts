/**
 * Counts what was sent and what the answers stated, with times in microseconds.
 *
 * Invariants: an event is acknowledged when the `received` of a 2xx answer counts it, never because it was sent. An
 * answer that cannot be parsed does not count.
 */

import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { nowMs } from '../../observe/clock.ts';
import type { Sent } from './driver.ts';

/** Figures that the tally cannot count itself. */
export interface Known {
  readonly sent_event_ids: number;
  /** Number of requests without an answer, including timeouts. */
  readonly errors: number;
  readonly timeouts: number;
  readonly generator_cpu_us: number;
}

export class Tally {
  readonly #latency = createHistogram();
  readonly #sendDelay = createHistogram();
  readonly #generatorDelay = createHistogram();
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
  #first = Number.NaN;
  #lastAnswer = Number.NaN;

  get acknowledged(): number {
    return this.#received;
  }

  /** Returns the number of sent requests that have no answer yet. */
  get unanswered(): number {
    return this.#requests - this.#answers;
  }

  /**
   * Records a request that is about to be written. Returns the moment from which its latency counts, which the caller
   * passes to `answered`. The moment is `due`, or now without `due`.
   */
  sent(events: number, bytes: number, due?: number): number {
    this.#requests++;
    this.#events += events;
    this.#bytes += bytes;
    const from = due ?? nowMs();
    if (this.#requests === 1) {
      this.#first = from;
      this.#lastAnswer = from;
    }
    return from;
  }

  /**
   * Open model: records that a request is being written now. It was due at `due`, and a connection was free for it from
   * `ready` on.
   */
  written(due: number, ready: number): void {
    const now = nowMs();
    record(this.#sendDelay, now - due);
    record(this.#generatorDelay, now - ready);
  }

  answered(status: number, body: string, from: number): void {
    const now = nowMs();
    this.#lastAnswer = now;
    this.#answers++;
    record(this.#latency, now - from);
    this.#statusCodes[status] = (this.#statusCodes[status] ?? 0) + 1;
    const answer = status >= 200 && status < 300 ? readAnswer(body) : null;
    if (answer === null) {
      this.#non2xx++;
      return;
    }
    this.#received += answer.received;
    this.#duplicates += answer.duplicates;
    this.#rejected += answer.rejected;
    const second = Math.floor((now - this.#first) / 1000);
    while (this.#perSecond.length <= second) this.#perSecond.push(0);
    this.#perSecond[second]! += answer.received;
  }

  result(known: Known): Sent {
    return {
      duration_ms: this.#requests === 0 ? 0 : this.#lastAnswer - this.#first,
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
      dropped_requests: 0,
      status_codes: this.#statusCodes,
      latency: latencyOf(this.#latency),
      send_delay: latencyOf(this.#sendDelay),
      generator_delay: latencyOf(this.#generatorDelay),
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

/**
 * Parses `{"received":n,"ids":[…],"duplicates":n,"rejected":[…]}` (contract, section 3). An answer to a single event
 * has no `rejected`, since a rejected single event gets a 400.
 */
function readAnswer(body: string): Answer | null {
  try {
    const { received, duplicates, rejected = [] } = JSON.parse(body) as Record<string, unknown>;
    if (typeof received !== 'number' || typeof duplicates !== 'number' || !Array.isArray(rejected))
      return null;
    return { received, duplicates, rejected: rejected.length };
  } catch {
    return null;
  }
}
