/** Items with their times: the input of a replay, from any source. */

export interface Timed<T> {
  /** Milliseconds since the start; never falls. */
  readonly at_ms: number;
  readonly item: T;
}

export type Timeline<T> = Iterable<Timed<T>>;

/** Merges several concurrent timelines. */
export function* merged<T>(timelines: readonly Timeline<T>[]): Generator<Timed<T>> {
  const lanes = timelines.map((timeline) => {
    const lane = timeline[Symbol.iterator]();
    return { lane, head: lane.next() };
  });
  for (;;) {
    const left = lanes.filter(({ head }) => head.done !== true);
    if (left.length === 0) return;
    const next = left.reduce((a, b) => (a.head.value!.at_ms <= b.head.value!.at_ms ? a : b));
    yield next.head.value!;
    next.head = next.lane.next();
  }
}
