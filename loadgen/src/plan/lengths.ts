/** DATA: default numbers of rounds and slices, and default lengths of slices and warm-ups. */

/** Rounds, each with fresh processes of both servers. The ratios of the headline have to be known to ±5 %. */
export const ROUNDS = { default: 4, headline: 6 };

/** Slices of a closed loop per server and round, in the order A B B A. */
export const SLICES = 4;

/**
 * Seconds of a slice. In a closed loop, it is the time of the faster server at the pace of its warm-up; the slower one
 * takes longer. At 1,000 events/s in batches of 50, five seconds have 100 requests, the fewest that have a p99.
 */
export const SLICE_S = { batch: 0.75, single: 2, open: 3, slow_open: 5 };

/** Highest rate (events/s) at which an open loop has the longer slices. */
export const SLOW_EVENTS_PER_S = 1_000;

/** Seconds of a soak per server: by default, and with `--quick`. */
export const SOAK_S = { default: 1800, quick: 60 };

/** Seconds of the warm-up of an open loop and of a soak, at the requested rate. */
export const WARMUP_S = { open: 4, soak: 10 };

/** Default number of warm-up events of a closed loop: a few seconds of the slower server on two cores. */
export const UNSIZED_WARM_UP = { batch: 300_000, single: 40_000, plain: 100_000 };

/**
 * Rates of the open loops. `main`: of the default comparison, typical loads of a user, and one near saturation. `plain`:
 * of the plain servers. `all`: of `--mode=open` and of the full comparison. `soak`: two cores then have time for ten
 * clients of the stream, k6 and a dashboard.
 */
export const RATES = {
  main: '1000,10000,75%',
  plain: '1000,10000',
  all: '1000,10000,30000,25%,50%,75%,90%',
  soak: 5_000,
};

/** Width of a table in characters when stdout is not a terminal. */
export const PIPED_COLUMNS = 120;

/** Seconds of each load of `bench:peers`. */
export const PEER_S = 6;
