/** DATA: the counts of a full run, and of a quick run, which is for feedback only. */

export interface Sizes {
  /** Round trips of each server without a throttle. `paced_round_trips` have the client's own throttle. */
  readonly round_trips: number;
  readonly paced_round_trips: number;
  readonly payload_round_trips: number;
  readonly burst_events: readonly number[];
  /** Odd, so that the median is a measured value. */
  readonly burst_repetitions: number;
  readonly slider_s: number;
  readonly slider_repetitions: number;
  readonly fan_out_clients: readonly number[];
  readonly fan_out_rounds: number;
  readonly full_stream_clients: number;
  readonly load_events_per_s: number;
  readonly load_s: number;
  /** Duration of the same load before the measurement. */
  readonly load_warm_up_s: number;
  /** Number of restarts of each kind. */
  readonly restarts: number;
  /** Number of applies and invalidations in memory, over a faulty transport. */
  readonly monotony_checked: number;
  /** Number of servers that run one after the other on one file. Each but the last is killed. */
  readonly monotony_lives: number;
  /** Number of single events that are posted to each of them. */
  readonly monotony_posts: number;
  readonly page_events: number;
  /** Time from the last of these events to the first open, so that their disk writes are complete. */
  readonly page_rest_ms: number;
  readonly page_opens: number;
  readonly page_load_s: number;
  /** How long to wait for an expected state before the run fails. */
  readonly patience_ms: number;
}

export const FULL: Sizes = {
  round_trips: 3000,
  paced_round_trips: 500,
  payload_round_trips: 500,
  burst_events: [10, 50, 100, 500, 1000],
  burst_repetitions: 7,
  slider_s: 10,
  slider_repetitions: 3,
  fan_out_clients: [0, 1, 10, 100, 1000],
  fan_out_rounds: 3,
  full_stream_clients: 10,
  load_events_per_s: 10_000,
  load_s: 10,
  load_warm_up_s: 2,
  restarts: 5,
  monotony_checked: 100_000,
  monotony_lives: 10,
  monotony_posts: 500,
  page_events: 1_000_000,
  page_rest_ms: 15_000,
  page_opens: 15,
  page_load_s: 10,
  patience_ms: 30_000,
};

export const QUICK: Sizes = {
  round_trips: 50,
  paced_round_trips: 10,
  payload_round_trips: 10,
  burst_events: [50],
  burst_repetitions: 1,
  slider_s: 0.3,
  slider_repetitions: 1,
  fan_out_clients: [0, 20],
  fan_out_rounds: 1,
  full_stream_clients: 2,
  load_events_per_s: 2000,
  load_s: 0.5,
  load_warm_up_s: 0.3,
  restarts: 1,
  monotony_checked: 5000,
  monotony_lives: 3,
  monotony_posts: 50,
  page_events: 2000,
  page_rest_ms: 0,
  page_opens: 1,
  page_load_s: 0.5,
  patience_ms: 5000,
};
