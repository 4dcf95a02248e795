/**
 * A clock that moves only when a test advances it: hours of waits take a second, and are the same each time.
 *
 * Invariant: calls that are due at the same moment run in the order in which they were registered.
 */
import type { Clock } from '@twin-ingest/client';

interface Due {
  readonly at_ms: number;
  readonly number: number;
  readonly call: () => void;
}

export class VirtualClock implements Clock {
  #now_ms = 0;
  #number = 0;
  readonly #due = new Set<Due>();

  now(): number {
    return this.#now_ms;
  }

  after(ms: number, call: () => void): () => void {
    const due: Due = { at_ms: this.#now_ms + Math.max(0, ms), number: this.#number++, call };
    this.#due.add(due);
    return () => void this.#due.delete(due);
  }

  /** Advances the clock by `ms`, and runs every call that becomes due. */
  async advance(ms: number): Promise<void> {
    const end_ms = this.#now_ms + ms;
    for (let due = this.#next(end_ms); due !== undefined; due = this.#next(end_ms)) {
      this.#due.delete(due);
      this.#now_ms = due.at_ms;
      due.call();
      // Lets all promises settle that the call has settled, and their successors.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now_ms = end_ms;
  }

  /** Returns the call that is due first, if it is due at `by_ms` or before. */
  #next(by_ms: number): Due | undefined {
    let next: Due | undefined;
    for (const due of this.#due) {
      if (due.at_ms > by_ms || (next !== undefined && due.at_ms > next.at_ms)) continue;
      if (next === undefined || due.at_ms < next.at_ms || due.number < next.number) next = due;
    }
    return next;
  }
}
