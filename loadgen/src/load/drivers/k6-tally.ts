/**
 * Reads the lines of the k6 script and counts what was sent and what the answers reported.
 *
 * A line is `answer` with ten numbers. The first two are the times of sending and answer (ms since the first request
 * was due). Then follow k6's `http_req_duration` (ms), status, k6's error code, and events and bytes sent. The last
 * three are `received`, `duplicates` and `rejected` of the answer, or -1 when the answer cannot be parsed. Invariant:
 * `received` of a 2xx answer is the number of acknowledged events.
 */
import type { Sent } from './driver.ts';
import { Counts } from './tally.ts';

/** k6's error code for a request without an answer in time. */
const TIMEOUT_CODE = 1050;

/** The times of sending and answer, duration, status, code, events, bytes, received, duplicates, rejected. */
type Line = [
  ...times: [number, number, number],
  ...rest: [number, number, number, number, number, number, number],
];
const FIELDS = 10;

export class K6Tally extends Counts {
  #errors = 0;
  #timeouts = 0;
  #lastAnswer_ms = 0;

  /** Reads a line. Returns whether it is the line of an answer. */
  read(line: string): boolean {
    const [kind, ...rest] = line.split(' ');
    const numbers = rest.map(Number);
    if (kind !== 'answer' || numbers.length !== FIELDS || !numbers.every(Number.isFinite)) return false;
    const [, answered, duration, status, code, events, bytes, received, duplicates, rejected] =
      numbers as Line;
    this.count(events, bytes);
    if (status === 0) {
      this.#errors++;
      if (code === TIMEOUT_CODE) this.#timeouts++;
      return true;
    }
    this.#lastAnswer_ms = Math.max(this.#lastAnswer_ms, answered);
    const answer = received < 0 ? null : { received, duplicates, rejected };
    this.countAnswer(status, answer, duration);
    return true;
  }

  result(known: Pick<Sent, 'dropped_requests' | 'generator_cpu_us'>): Sent {
    return {
      ...this.sums(),
      ...known,
      duration_ms: this.#lastAnswer_ms,
      errors: this.#errors,
      timeouts: this.#timeouts,
      // k6 reports the time of sending only in whole milliseconds, and does not report when the request was due.
      send_delay: null,
    };
  }
}
