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
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #bound_ms: number;

  constructor(options: BackoffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
    this.#bound_ms = options.first_ms;
  }

  /** Milliseconds until the next attempt; `atLeast_ms` is what the server asked for. */
  next(atLeast_ms = 0): number {
    const wait = this.#random() * this.#bound_ms;
    this.#bound_ms = Math.min(this.#bound_ms * 2, this.#options.most_ms);
    return Math.max(wait, atLeast_ms);
  }

  /** After a success. */
  reset(): void {
    this.#bound_ms = this.#options.first_ms;
  }
}
