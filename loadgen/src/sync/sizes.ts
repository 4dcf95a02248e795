/** DATA: the counts of a full run, and of a quick run, which is for feedback only. */

const pair = <T>(full: T, quick: T) => ({ full, quick });

const SIZES = {
  /** Round trips of each server without a throttle. `paced_round_trips` have the client's own throttle. */
  round_trips: pair(3000, 50),
  paced_round_trips: pair(500, 10),
  payload_round_trips: pair(500, 10),
  burst_events: pair<readonly number[]>([10, 50, 100, 500, 1000], [50]),
  /** Odd, so that the median is a measured value. */
  burst_repetitions: pair(7, 1),
  slider_s: pair(10, 0.3),
  slider_repetitions: pair(3, 1),
  fan_out_clients: pair<readonly number[]>([0, 1, 10, 100, 1000], [0, 20]),
  fan_out_rounds: pair(3, 1),
  full_stream_clients: pair(10, 2),
  load_events_per_s: pair(10_000, 2000),
  load_s: pair(10, 0.5),
  /** Duration of the same load before the measurement. */
  load_warm_up_s: pair(2, 0.3),
  /** Number of restarts of each kind. */
  restarts: pair(5, 1),
  /** Number of applies and invalidations in memory, over a faulty transport. */
  monotony_checked: pair(100_000, 5000),
  /** Number of servers that run one after the other on one file. Each but the last is killed. */
  monotony_lives: pair(10, 3),
  /** Number of single events that are posted to each of them. */
  monotony_posts: pair(500, 50),
  page_events: pair(1_000_000, 2000),
  /** Time from the last of these events to the first open, so that their disk writes are complete. */
  page_rest_ms: pair(15_000, 0),
  page_opens: pair(15, 1),
  page_load_s: pair(10, 0.5),
  /** How long to wait for an expected state before the run fails. */
  patience_ms: pair(30_000, 5000),
};

export type Sizes = { readonly [Name in keyof typeof SIZES]: (typeof SIZES)[Name]['full'] };

export function sizesOf(size: 'full' | 'quick'): Sizes {
  return Object.fromEntries(Object.entries(SIZES).map(([name, sizes]) => [name, sizes[size]])) as Sizes;
}
