/**
 * Counts what was sent and what the answers stated, with times in microseconds.
 *
 * Invariants: an event is acknowledged when the `received` of a 2xx answer counts it, never because it was sent. An
 * answer that cannot be parsed does not count.
 */

import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { nowMs } from '../../observe/clock.ts';
import type { Sent } from './driver.ts';

/** What an answer stated. */
export interface Answer {
  readonly received: number;
  readonly duplicates: number;
  readonly rejected: number;
}

/** Sums over requests and their answers, for every driver that sees each answer. */
export class Counts {
  readonly #latency = createHistogram();
  readonly #statusCodes: Record<string, number> = {};
  requests = 0;
  answers = 0;
  events = 0;
  acknowledged = 0;
  #bytes = 0;
  #duplicates = 0;
  #rejected = 0;
  #non2xx = 0;

  count(events: number, bytes: number): void {
    this.requests++;
    this.events += events;
    this.#bytes += bytes;
  }

  /** Counts an answer. `answer` is `null` when it cannot be parsed. */
  countAnswer(status: number, answer: Answer | null, latency_ms: number): void {
    this.answers++;
    record(this.#latency, latency_ms);
    this.#statusCodes[status] = (this.#statusCodes[status] ?? 0) + 1;
    if (status < 200 || status > 299 || answer === null) {
      this.#non2xx++;
      return;
    }
    this.acknowledged += answer.received;
    this.#duplicates += answer.duplicates;
    this.#rejected += answer.rejected;
  }

  protected sums() {
    return {
      requests: this.requests,
      sent_events: this.events,
      sent_bytes: this.#bytes,
      received_events: this.acknowledged,
      duplicate_events: this.#duplicates,
      rejected_events: this.#rejected,
      non_2xx: this.#non2xx,
      status_codes: this.#statusCodes,
      latency: latencyOf(this.#latency),
    };
  }
}

/** The tally of a generator in a Node process, which also reads the clock. */
export class Tally extends Counts {
  readonly #sendDelay = createHistogram();
  readonly #generatorDelay = createHistogram();
  #first = 0;
  #lastAnswer = 0;

  /**
   * Records a request that is about to be written. Returns the moment from which its latency counts, which the caller
   * passes to `answered`. The moment is `due`, or now without `due`.
   */
  sent(events: number, bytes: number, due?: number): number {
    const from = due ?? nowMs();
    if (this.requests === 0) {
      this.#first = from;
      this.#lastAnswer = from;
    }
    this.count(events, bytes);
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
    this.#lastAnswer = nowMs();
    const answer = status >= 200 && status < 300 ? readAnswer(body) : null;
    this.countAnswer(status, answer, this.#lastAnswer - from);
  }

  result(known: Pick<Sent, 'errors' | 'timeouts' | 'generator_cpu_us'>): Sent {
    return {
      ...this.sums(),
      ...known,
      duration_ms: this.#lastAnswer - this.#first,
      dropped_requests: 0,
      send_delay: latencyOf(this.#sendDelay),
      generator_delay: latencyOf(this.#generatorDelay),
    };
  }
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
