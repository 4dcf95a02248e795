/**
 * A clock that moves only when a test advances it: hours of waits take a second, and are the same each time.
 *
 * Invariant: calls that are due at the same moment run in the order in which they were registered.
 */
import type { Clock } from '@twin-ingest/client';

interface Due {
  readonly at_ms: number;
  readonly call: () => void;
}

export class VirtualClock implements Clock {
  #now_ms = 0;
  /** In the order in which they run. */
  #due: readonly Due[] = [];

  now(): number {
    return this.#now_ms;
  }

  after(ms: number, call: () => void): () => void {
    const due: Due = { at_ms: this.#now_ms + Math.max(0, ms), call };
    const at = this.#due.findLastIndex(({ at_ms }) => at_ms <= due.at_ms) + 1;
    this.#due = this.#due.toSpliced(at, 0, due);
    return () => {
      this.#due = this.#due.filter((one) => one !== due);
    };
  }

  /** Advances the clock by `ms`, and runs every call that becomes due. */
  async advance(ms: number): Promise<void> {
    const end_ms = this.#now_ms + ms;
    for (let next = this.#due[0]; next !== undefined && next.at_ms <= end_ms; next = this.#due[0]) {
      this.#due = this.#due.slice(1);
      this.#now_ms = next.at_ms;
      next.call();
      // Lets all promises settle that the call has settled, and their successors.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now_ms = end_ms;
  }
}
