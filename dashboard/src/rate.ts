/**
 * Events per second, from the revisions that were heard: ids are given one after the other, so that their difference
 * counts events, however few rows were read.
 *
 * What must stay true: what came while nobody listened is nobody's second.
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

  /** `seconds`: how far back it remembers. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  hear(at_ms: number, revision: number): void {
    const second = Math.floor(at_ms / 1000);
    const came = this.#revision === null ? 0 : Math.max(0, revision - this.#revision);
    this.#revision = revision;
    this.#first = Math.min(this.#first, second);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + came);
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
