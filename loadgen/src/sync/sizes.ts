/** DATA: the counts of a run by its size. A quick run is for feedback only. */
import type { RunSize } from '../plan/suite-options.ts';

const sizes = <T>(all: T, usual: T, quick: T) => ({ all, default: usual, quick });

const SIZES = {
  /** Round trips of each server without a throttle. `paced_round_trips` have the client's own throttle. */
  round_trips: sizes(3000, 2000, 50),
  paced_round_trips: sizes(500, 60, 10),
  burst_events: sizes<readonly number[]>([10, 50, 100, 500, 1000], [10, 1000], [50]),
  /** Odd, so that the median is a measured value. */
  burst_repetitions: sizes(7, 3, 1),
  slider_s: sizes(10, 3, 0.3),
  slider_repetitions: sizes(3, 1, 1),
  fan_out_clients: sizes<readonly number[]>([0, 1, 10, 100, 1000], [0, 1000], [0, 20]),
  fan_out_rounds: sizes(3, 2, 1),
  full_stream_rounds: sizes(3, 1, 1),
  full_stream_clients: sizes(10, 10, 2),
  load_events_per_s: sizes(10_000, 10_000, 2000),
  load_s: sizes(10, 3, 0.5),
  /** Duration of the same load before the measurement. */
  load_warm_up_s: sizes(2, 1, 0.3),
  /** Number of restarts of each kind. */
  restarts: sizes(5, 3, 1),
  page_events: sizes(1_000_000, 1_000_000, 2000),
  /** Time from the last of these events to the first open, so that their disk writes are complete. */
  page_rest_ms: sizes(15_000, 4000, 0),
  page_opens: sizes(15, 7, 1),
  page_load_s: sizes(10, 5, 0.5),
};

export type Sizes = { readonly [Name in keyof typeof SIZES]: (typeof SIZES)[Name]['all'] };

export function sizesOf(size: RunSize): Sizes {
  return Object.fromEntries(Object.entries(SIZES).map(([name, values]) => [name, values[size]])) as Sizes;
}
