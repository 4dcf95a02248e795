/**
 * A clock of the client that moves only when its owner advances it: hours of waits take a second, and are the same each
 * time.
 *
 * Invariant: calls that are due at the same moment run in the order in which they were registered.
 */

interface Call {
  readonly at_ms: number;
  readonly call: () => void;
}

export class FakeClock {
  #now_ms = 0;
  readonly #calls = new Set<Call>();

  now(): number {
    return this.#now_ms;
  }

  after(ms: number, call: () => void): () => void {
    const one = { at_ms: this.#now_ms + ms, call };
    this.#calls.add(one);
    return () => this.#calls.delete(one);
  }

  /** Number of scheduled calls. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Advances time, and runs everything that follows from it. */
  async pass(ms: number): Promise<void> {
    const end_ms = this.#now_ms + ms;
    await settle();
    for (let next = this.#next(end_ms); next !== undefined; next = this.#next(end_ms)) {
      this.#now_ms = next.at_ms;
      this.#calls.delete(next);
      next.call();
      await settle();
    }
    this.#now_ms = end_ms;
    await settle();
  }

  #next(end_ms: number): Call | undefined {
    const due = [...this.#calls].filter(({ at_ms }) => at_ms <= end_ms);
    return due.sort((a, b) => a.at_ms - b.at_ms)[0];
  }
}

/** Runs until no promise has work left. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
