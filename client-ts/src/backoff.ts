/**
 * How long to wait before the next attempt: exponential with full jitter, so that many clients of a server that comes
 * back do not all come at once (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */

/** No bound is larger, milliseconds; a server may ask for a longer wait. */
const MOST_MS = 10_000;

export class Backoff {
  readonly #random: () => number;
  #first_ms: number;
  #bound_ms: number;

  /** `first_ms`: the bound of the first wait. */
  constructor(first_ms: number, random: () => number = Math.random) {
    this.#random = random;
    this.#first_ms = this.#bound_ms = first_ms;
  }

  /** Milliseconds until the next attempt; `atLeast_ms` is what the server asked for. */
  next(atLeast_ms = 0): number {
    const wait = this.#random() * this.#bound_ms;
    this.#bound_ms = Math.min(this.#bound_ms * 2, MOST_MS);
    return Math.max(wait, atLeast_ms);
  }

  /** After a success; with a bound that takes the place of the first one. 0 is none: it would never grow. */
  reset(first_ms?: number): void {
    this.#first_ms = Math.min(first_ms || this.#first_ms, MOST_MS);
    this.#bound_ms = this.#first_ms;
  }
}
