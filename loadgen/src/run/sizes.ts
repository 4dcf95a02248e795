/**
 * Computes the number of events in a round of a closed loop. It is the same for both servers and every round (decision
 * 68).
 */
import type { WarmUp } from '../observe/sample.ts';
import type { Spec } from '../plan/spec.ts';

/** Number of events of a round, for each closed loop. */
export type Sizes = Map<Spec, number>;

/**
 * Returns the given number of events. Without one, returns what the faster server stores during all slices at the pace
 * of its warm-up.
 */
export function sizeOf({ workload }: Pick<Spec, 'workload'>, pace_events_per_s: number): number {
  const { events, duration_s, batch_size, slices } = workload;
  if (events !== null) return events;
  const slice = Math.ceil((pace_events_per_s * duration_s!) / batch_size) * batch_size;
  return slice * slices;
}

/** Returns the events/s of the fastest part of all warm-ups. */
export function fasterPace(warmed: readonly WarmUp[]): number {
  return Math.max(
    ...warmed.flatMap(({ parts_events_per_s, sent }) =>
      parts_events_per_s.length > 0
        ? parts_events_per_s
        : [sent.duration_ms === 0 ? 0 : (sent.received_events / sent.duration_ms) * 1000],
    ),
  );
}
