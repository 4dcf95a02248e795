/**
 * Computes the wait before the next attempt: exponential back-off with full jitter. So the clients of a restarted
 * server do not all reconnect at once (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */

/** Upper bound in milliseconds; a server may request a longer wait. */
const MOST_MS = 10_000;

export class Backoff {
  readonly #random: () => number;
  #first_ms: number;
  #bound_ms: number;

  /** `first_ms` is the bound of the first wait. */
  constructor(first_ms: number, random: () => number = Math.random) {
    this.#random = random;
    this.#first_ms = this.#bound_ms = first_ms;
  }

  /** Returns the milliseconds until the next attempt, at least the server's request `atLeast_ms`. */
  next(atLeast_ms = 0): number {
    const wait = this.#random() * this.#bound_ms;
    this.#bound_ms = Math.min(this.#bound_ms * 2, MOST_MS);
    return Math.max(wait, atLeast_ms);
  }

  /** Call after a success. `first_ms` replaces the first bound; 0 is ignored, since it would never grow. */
  reset(first_ms?: number): void {
    this.#first_ms = Math.min(first_ms || this.#first_ms, MOST_MS);
    this.#bound_ms = this.#first_ms;
  }
}
