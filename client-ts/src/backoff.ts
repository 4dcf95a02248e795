/**
 * How long to wait before the next attempt: exponential with full jitter, so that many clients of a server that comes
 * back do not all come at once (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export interface BackoffOptions {
  /** Bound of the first wait, milliseconds. */
  readonly first_ms: number;
  /** No wait is longer. */
  readonly most_ms: number;
}

export class Backoff {
  readonly #random: () => number;
  readonly #most_ms: number;
  #first_ms: number;
  #bound_ms: number;

  constructor({ first_ms, most_ms }: BackoffOptions, random: () => number = Math.random) {
    this.#random = random;
    this.#most_ms = most_ms;
    this.#first_ms = this.#bound_ms = first_ms;
  }

  /** Milliseconds until the next attempt; `atLeast_ms` is what the server asked for. */
  next(atLeast_ms = 0): number {
    const wait = this.#random() * this.#bound_ms;
    this.#bound_ms = Math.min(this.#bound_ms * 2, this.#most_ms);
    return Math.max(wait, atLeast_ms);
  }

  /** After a success; with a bound that takes the place of the first one. 0 is none: it would never grow. */
  reset(first_ms?: number): void {
    this.#first_ms = Math.min(first_ms || this.#first_ms, this.#most_ms);
    this.#bound_ms = this.#first_ms;
  }
}
