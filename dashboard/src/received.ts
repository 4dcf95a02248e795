/**
 * Counts the events that reached this page since it was opened, and the missing ones between the first and the last.
 *
 * Ids are consecutive, so that a hole is an event that the page did not read. The counts do not come from the rows,
 * since those are bounded and may come from several fetches.
 */

export interface Receipt {
  /** Number of distinct ids. */
  readonly count: number;
  /** Number of missing ids between `first` and `last`. */
  readonly missing: number;
  readonly first: number;
  readonly last: number;
}

/** Largest number of holes that may still be filled; older ones are far below the visible rows. */
const MOST_HOLES = 100;

export class Received {
  readonly #opened: number;
  #last: number;
  #count = 0;
  /** First and last id of each hole, ascending. */
  #holes: (readonly [number, number])[] = [];

  /** `opened` is the newest id when the page was opened. */
  constructor(opened: number) {
    this.#opened = opened;
    this.#last = opened;
  }

  /** Adds received rows, newest first. Earlier rows and repeated rows do not count. */
  take(rows: readonly { readonly id: number }[]): void {
    for (const { id } of rows.toReversed()) {
      if (id > this.#last) {
        if (id > this.#last + 1) this.#holes.push([this.#last + 1, id - 1]);
        this.#last = id;
        this.#count++;
      } else if (id > this.#opened) this.#fill(id);
    }
    if (this.#holes.length > MOST_HOLES) this.#holes = this.#holes.slice(-MOST_HOLES);
  }

  /** `null` before the first event. */
  get receipt(): Receipt | null {
    if (this.#count === 0) return null;
    const all = this.#last - this.#opened;
    return { count: this.#count, missing: all - this.#count, first: this.#opened + 1, last: this.#last };
  }

  #fill(id: number): void {
    const at = this.#holes.findIndex(([from, to]) => id >= from && id <= to);
    if (at < 0) return;
    const [from, to] = this.#holes[at]!;
    const rest = [[from, id - 1] as const, [id + 1, to] as const];
    this.#holes.splice(at, 1, ...rest.filter(([low, high]) => low <= high));
    this.#count++;
  }
}
