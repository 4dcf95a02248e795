/**
 * Computes events per second from announced revisions: ids are consecutive, so that their difference counts events,
 * however few rows were read.
 *
 * Invariant: events that arrived without a connection count in no second, unless rows of that time were read.
 */
export class Rate {
  /** Counts by second, for seconds with announcements. */
  readonly #counts = new Map<number, number>();
  /** Seconds that were at least partly without a connection. */
  readonly #deaf = new Set<number>();
  readonly #seconds: number;
  #revision: number | null = null;
  /** The first second with an announcement. */
  #first = Infinity;
  /** The revision from which differences count, and its second; rows count the ids up to it. */
  #start: readonly [number, number] | null = null;

  /** `seconds` is the number of seconds that it keeps. */
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
   * Counts earlier rows, newest first, from the second after `from_ms`. It fills whole seconds without a connection. In
   * the second of the first announcement it adds the ids that no difference counts.
   */
  fill(rows: readonly { readonly id: number; readonly time: string }[], from_ms: number): void {
    if (this.#start === null) return;
    const [revision, start] = this.#start;
    const from = Math.floor(from_ms / 1000) + 1;
    const counts = new Map<number, number>();
    for (const { id, time } of rows) {
      const second = Math.floor(Date.parse(time) / 1000);
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

  /** Marks the connection as lost until the next revision. */
  lose(): void {
    this.#revision = null;
  }

  /** Records whether there is a connection; the caller calls it once a second. */
  tick(now_ms: number): void {
    const second = Math.floor(now_ms / 1000);
    if (this.#revision === null) this.#deaf.add(second);
    const oldest = second - this.#seconds - 1;
    for (const old of this.#counts.keys()) if (old < oldest) this.#counts.delete(old);
    for (const old of this.#deaf) if (old < oldest) this.#deaf.delete(old);
  }

  /** Returns the last whole seconds, oldest first: Unix seconds, and events or null. */
  series(now_ms: number): [number[], (number | null)[]] {
    const end = Math.floor(now_ms / 1000);
    const seconds = Array.from({ length: this.#seconds }, (_, i) => end - this.#seconds + i);
    const isDeaf = (second: number) => second < this.#first || this.#deaf.has(second);
    return [seconds, seconds.map((second) => this.#counts.get(second) ?? (isDeaf(second) ? null : 0))];
  }

  /** Returns the mean of the last five whole seconds. */
  recent(now_ms: number): number {
    const [, counts] = this.series(now_ms);
    return counts.slice(-5).reduce<number>((sum, count) => sum + (count ?? 0), 0) / 5;
  }
}
