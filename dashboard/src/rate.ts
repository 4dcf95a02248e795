/**
 * Events per second, from the revisions that were heard: ids are given one after the other, so that their difference
 * counts events, however few rows were read.
 *
 * What must stay true: events that came without a connection count in no second, unless rows of that time were read.
 */
export class Rate {
  /** By second, those in which something was heard. */
  readonly #counts = new Map<number, number>();
  /** Seconds in which nobody listened, all or part of them. */
  readonly #deaf = new Set<number>();
  readonly #seconds: number;
  #revision: number | null = null;
  /** The first second in which something was heard. */
  #first = Infinity;
  /** The revision from which on the difference counts, and its second; ids up to it are counted from rows. */
  #start: readonly [number, number] | null = null;

  /** `seconds`: how far back it remembers. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  hear(at_ms: number, revision: number): void {
    const second = Math.floor(at_ms / 1000);
    const came = this.#revision === null ? 0 : Math.max(0, revision - this.#revision);
    if (this.#revision === null) this.#start = [revision, second];
    this.#revision = revision;
    this.#first = Math.min(this.#first, second);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + came);
  }

  /**
   * Counts rows of before it listened, newest first, from the second after `from_ms` on: whole seconds in which it did
   * not listen, and in the second in which it began those ids that no difference counts.
   */
  fill(rows: readonly { readonly id: number; readonly created_at: string }[], from_ms: number): void {
    if (this.#start === null) return;
    const [revision, start] = this.#start;
    const from = Math.floor(from_ms / 1000) + 1;
    const counts = new Map<number, number>();
    for (const { id, created_at } of rows) {
      const second = Math.floor(Date.parse(created_at) / 1000);
      if (id <= revision && second >= from) counts.set(second, (counts.get(second) ?? 0) + 1);
    }
    for (let second = from; second <= start; second++) {
      const isUnheard = second < this.#first || this.#deaf.delete(second) || second === start;
      if (!isUnheard) continue;
      this.#counts.set(second, (this.#counts.get(second) ?? 0) + (counts.get(second) ?? 0));
    }
    this.#first = Math.min(this.#first, from);
    this.#start = null;
  }

  /** From now on nothing is heard, until the next revision is. */
  lose(): void {
    this.#revision = null;
  }

  /** Once a second: whether somebody listens. */
  tick(now_ms: number): void {
    const second = Math.floor(now_ms / 1000);
    if (this.#revision === null) this.#deaf.add(second);
    const oldest = second - this.#seconds - 1;
    for (const old of this.#counts.keys()) if (old < oldest) this.#counts.delete(old);
    for (const old of this.#deaf) if (old < oldest) this.#deaf.delete(old);
  }

  /** Of the last whole seconds, oldest first: Unix seconds, and events or null. */
  series(now_ms: number): [number[], (number | null)[]] {
    const end = Math.floor(now_ms / 1000);
    const seconds = Array.from({ length: this.#seconds }, (_, i) => end - this.#seconds + i);
    const isDeaf = (second: number) => second < this.#first || this.#deaf.has(second);
    return [seconds, seconds.map((second) => this.#counts.get(second) ?? (isDeaf(second) ? null : 0))];
  }

  /** Mean of the last five whole seconds. */
  recent(now_ms: number): number {
    const [, counts] = this.series(now_ms);
    return counts.slice(-5).reduce<number>((sum, count) => sum + (count ?? 0), 0) / 5;
  }
}
