/**
 * Reads the lines of the k6 script and counts what was sent and what the answers reported.
 *
 * A line is `answer` with ten numbers. The first two are the times of sending and answer (ms since the first request
 * was due). Then follow k6's `http_req_duration` (ms), status, k6's error code, and events and bytes sent. The last
 * three are `received`, `duplicates` and `rejected` of the answer, or -1 when the answer cannot be parsed. Invariant:
 * `received` of a 2xx answer is the number of acknowledged events.
 */
import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import type { Sent } from './driver.ts';

/** k6's error code for a request without an answer in time. */
const TIMEOUT_CODE = 1050;

const FIELDS = 10;

export class K6Tally {
  readonly #latency = createHistogram();
  readonly #statusCodes: Record<string, number> = {};
  readonly #perSecond: number[] = [];
  #requests = 0;
  #events = 0;
  #bytes = 0;
  #received = 0;
  #duplicates = 0;
  #rejected = 0;
  #non2xx = 0;
  #errors = 0;
  #timeouts = 0;
  #lastAnswer_ms = 0;

  get acknowledged(): number {
    return this.#received;
  }

  get requests(): number {
    return this.#requests;
  }

  get events(): number {
    return this.#events;
  }

  /** Reads a line. Returns whether it is the line of an answer. */
  read(line: string): boolean {
    const [kind, ...rest] = line.split(' ');
    const numbers = rest.map(Number);
    if (kind !== 'answer' || numbers.length !== FIELDS || !numbers.every(Number.isFinite)) return false;
    const [, answered, duration, status, code, events, bytes, received, duplicates, rejected] =
      numbers as Answer;
    this.#requests++;
    this.#events += events;
    this.#bytes += bytes;
    if (status === 0) {
      this.#errors++;
      if (code === TIMEOUT_CODE) this.#timeouts++;
      return true;
    }
    this.#lastAnswer_ms = Math.max(this.#lastAnswer_ms, answered);
    record(this.#latency, duration);
    this.#statusCodes[status] = (this.#statusCodes[status] ?? 0) + 1;
    if (status < 200 || status > 299 || received < 0) {
      this.#non2xx++;
      return true;
    }
    this.#received += received;
    this.#duplicates += duplicates;
    this.#rejected += rejected;
    const second = Math.max(0, Math.floor(answered / 1000));
    while (this.#perSecond.length <= second) this.#perSecond.push(0);
    this.#perSecond[second]! += received;
    return true;
  }

  result(known: Pick<Sent, 'sent_event_ids' | 'dropped_requests' | 'generator_cpu_us'>): Sent {
    return {
      duration_ms: this.#lastAnswer_ms,
      requests: this.#requests,
      sent_events: this.#events,
      sent_event_ids: known.sent_event_ids,
      sent_bytes: this.#bytes,
      received_events: this.#received,
      duplicate_events: this.#duplicates,
      rejected_events: this.#rejected,
      non_2xx: this.#non2xx,
      errors: this.#errors,
      timeouts: this.#timeouts,
      dropped_requests: known.dropped_requests,
      status_codes: this.#statusCodes,
      latency: latencyOf(this.#latency),
      // k6 reports the time of sending only in whole milliseconds, and does not report when the request was due.
      send_delay: null,
      acknowledged_per_second: this.#perSecond,
      generator_cpu_us: known.generator_cpu_us,
    };
  }
}

type Answer = [
  sent: number,
  answered: number,
  duration: number,
  status: number,
  code: number,
  events: number,
  bytes: number,
  received: number,
  duplicates: number,
  rejected: number,
];
