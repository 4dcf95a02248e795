/**
 * Tracks every sent event: on the stream while it runs, and in the database at the end.
 *
 * A sender keeps the order, ids ascend in that order, and the stream follows the ids. So an event is missed as soon
 * as the stream has passed its id without showing it. Invariant: an event counts as delivered only if it is in the
 * database once and on the stream once. Other clients' events do not count.
 */

export interface DeliveryCounts {
  readonly sent: number;
  /** Events that the server refused; they need not arrive. */
  readonly rejected: number;
  readonly streamed: number;
  readonly doubled: number;
  /** Events that the stream has passed. */
  readonly missed: number;
}

export interface Verdict extends DeliveryCounts {
  readonly stored: number;
  readonly isSound: boolean;
}

export class Delivery {
  readonly #places = new Map<string, number>();
  readonly #rejected = new Set<string>();
  readonly #streamed = new Set<string>();
  /** Positions of rejected events that the stream has not reached yet. */
  readonly #rejectedAhead = new Set<number>();
  #doubled = 0;
  /** The stream's position in the order of sending. */
  #passed = 0;
  /** Up to that position, the number of events that arrived or need not arrive. */
  #settled = 0;

  sent(event_id: string): void {
    this.#places.set(event_id, this.#places.size);
  }

  rejected(event_id: string): void {
    const place = this.#places.get(event_id);
    if (place === undefined || this.#rejected.has(event_id)) return;
    this.#rejected.add(event_id);
    if (place < this.#passed) this.#settled++;
    else this.#rejectedAhead.add(place);
  }

  streamed(event_id: string): void {
    const place = this.#places.get(event_id);
    if (place === undefined) return;
    if (this.#streamed.has(event_id)) {
      this.#doubled++;
      return;
    }
    this.#streamed.add(event_id);
    if (place < this.#passed) {
      this.#settled++;
      return;
    }
    for (const ahead of this.#rejectedAhead) {
      if (ahead > place) continue;
      this.#settled++;
      this.#rejectedAhead.delete(ahead);
    }
    this.#passed = place + 1;
    this.#settled++;
  }

  get counts(): DeliveryCounts {
    return {
      sent: this.#places.size,
      rejected: this.#rejected.size,
      streamed: this.#streamed.size,
      doubled: this.#doubled,
      missed: this.#passed - this.#settled,
    };
  }

  /** Whether the stream has shown every event that it must show. */
  get isComplete(): boolean {
    return this.#streamed.size + this.#rejected.size >= this.#places.size;
  }

  /** Call at the end, with the `event_id` of every row of the database. */
  judge(rows: Iterable<string | null>): Verdict {
    const stored = new Set<string>();
    let doubled = this.#doubled;
    for (const event_id of rows) {
      if (event_id === null || !this.#places.has(event_id)) continue;
      if (stored.has(event_id)) doubled++;
      stored.add(event_id);
    }
    let missed = 0;
    for (const event_id of this.#places.keys()) {
      const isWhole = stored.has(event_id) && this.#streamed.has(event_id);
      if (!isWhole && !this.#rejected.has(event_id)) missed++;
    }
    const isSound = doubled === 0 && missed === 0 && this.#places.size > this.#rejected.size;
    return { ...this.counts, doubled, missed, stored: stored.size, isSound };
  }
}
