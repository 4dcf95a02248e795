/** Events with the moment at which each happens: what a replay plays, wherever it comes from. */
import type { OutgoingEvent } from '@twin-ingest/client';

export interface Timed {
  /** Milliseconds since the beginning; never falls. */
  readonly at_ms: number;
  readonly event: OutgoingEvent;
}

export type Timeline = Iterable<Timed>;

/** Several timelines side by side, each of them endless. */
export function* merged(timelines: readonly Timeline[]): Generator<Timed> {
  const lanes = timelines.map((timeline) => {
    const lane = timeline[Symbol.iterator]();
    return { lane, head: lane.next() };
  });
  for (;;) {
    const next = lanes.reduce((a, b) => (a.head.value!.at_ms <= b.head.value!.at_ms ? a : b));
    yield next.head.value!;
    next.head = next.lane.next();
  }
}
