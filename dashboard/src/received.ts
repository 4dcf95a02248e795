/**
 * Which events have reached this page since it was opened, by their ids: how many, and how many between the first and
 * the last have not.
 *
 * Ids are given one after the other, so that a hole is an event that the page did not read. Counts beside the rows and
 * not from them, since these are bounded and can be put together from pieces.
 */

export interface Receipt {
  /** Different ones. */
  readonly count: number;
  /** Of those from `first` to `last`. */
  readonly missing: number;
  readonly first: number;
  readonly last: number;
}

/** Holes that may still be filled; older ones lie far below what is shown. */
const MOST_HOLES = 100;

export class Received {
  readonly #opened: number;
  #last: number;
  #count = 0;
  /** First and last id of each, rising. */
  #holes: (readonly [number, number])[] = [];

  /** `opened`: the newest id that there was by then. */
  constructor(opened: number) {
    this.#opened = opened;
    this.#last = opened;
  }

  /** Rows as they are answered, newest first; those that were there before do not count, nor do those that come again. */
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

  /** `null` before anything came. */
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
