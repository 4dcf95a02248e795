/**
 * Counts what was sent and what the answers stated, with latencies in microseconds.
 *
 * Invariants: an event is acknowledged when the `received` of a 2xx answer counts it, never because it was sent. An
 * answer that cannot be parsed has failed.
 */
import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { nowMs } from '../../observe/clock.ts';

interface Known {
  /** Number of requests without an answer, including timeouts. */
  readonly errors: number;
  /** Number of requests that were due and never sent; default 0. Only k6 drops requests. */
  readonly dropped_requests?: number;
  /** CPU time of the generator's process, in microseconds. */
  readonly generator_cpu_us: number;
}

export class Tally {
  readonly #latency = createHistogram();
  readonly #generatorDelay = createHistogram();
  readonly #statusCodes: Record<string, number> = {};
  requests = 0;
  answers = 0;
  acknowledged = 0;
  #events = 0;
  #bytes = 0;
  #non2xx = 0;
  #first_ms = 0;
  #lastAnswer_ms = 0;

  /** Counts a request that was due at `from_ms`, or is written now. Returns that moment, the start of its latency. */
  sent(events: number, bytes: number, from_ms = nowMs()): number {
    if (this.requests === 0) {
      this.#first_ms = from_ms;
      this.#lastAnswer_ms = from_ms;
    }
    this.requests++;
    this.#events += events;
    this.#bytes += bytes;
    return from_ms;
  }

  /** Open model: records that a request is being written now, which was due and had a connection from `ready_ms` on. */
  written(ready_ms: number): void {
    record(this.#generatorDelay, nowMs() - ready_ms);
  }

  /** Counts the answer to a request, which arrived now or at `at_ms`. */
  answered(status: number, body: string, from_ms: number, at_ms = nowMs()): void {
    this.answers++;
    this.#lastAnswer_ms = Math.max(this.#lastAnswer_ms, at_ms);
    record(this.#latency, at_ms - from_ms);
    this.#statusCodes[status] = (this.#statusCodes[status] ?? 0) + 1;
    const received = status >= 200 && status < 300 ? receivedOf(body) : null;
    if (received === null) this.#non2xx++;
    else this.acknowledged += received;
  }

  result(known: Known) {
    return {
      /** Milliseconds from the first request (open model: the moment it was due) to the last answer. */
      duration_ms: this.#lastAnswer_ms - this.#first_ms,
      requests: this.requests,
      sent_events: this.#events,
      sent_bytes: this.#bytes,
      /** Sum of `received` of all 2xx answers. */
      received_events: this.acknowledged,
      /** Number of answers that are no 2xx, or cannot be parsed. */
      non_2xx: this.#non2xx,
      dropped_requests: 0,
      status_codes: this.#statusCodes as Readonly<Record<string, number>>,
      /** Latency of answered requests; `null` when no request was answered. */
      latency: latencyOf(this.#latency),
      /**
       * Open model: the delay that the generator itself causes, from the moment a request was due and had a connection
       * until it was written. `null` where the generator does not measure it.
       */
      generator_delay: latencyOf(this.#generatorDelay),
      ...known,
    };
  }
}

/** Returns the `received` of `{"received":n,…}` (contract, section 3); `null` when the answer cannot be parsed. */
function receivedOf(body: string): number | null {
  try {
    const { received } = JSON.parse(body) as { readonly received?: unknown };
    return typeof received === 'number' ? received : null;
  } catch {
    return null;
  }
}
