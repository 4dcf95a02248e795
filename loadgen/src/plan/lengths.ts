/** DATA: how many rounds and slices there are, and how long slices and warm-ups take, where no flag says it. */

/** Rounds of a comparison: fresh processes of both servers each. */
export const ROUNDS = 4;

/** Slices of a closed loop per server and round, in the order A B B A. */
export const SLICES = 4;

/**
 * Seconds of a slice. Of a closed loop, what the faster server takes at the pace of its warm-up; the slower takes longer.
 * At 1,000 events/s in batches of 50, five seconds have a hundred requests, the fewest that have a p99.
 */
export const SLICE_S = { batch: 1, single: 2, open: 3, slow_open: 5 };

/** Events/s up to which an open loop has the longer slices. */
export const SLOW_EVENTS_PER_S = 1_000;

/** Seconds of a soak per server, and with `--quick`. */
export const SOAK_S = 1800;
export const QUICK_SOAK_S = 60;

/** Seconds at its rate that warm up an open loop, and a soak. */
export const WARMUP_S = { open: 4, soak: 10 };

/** Events that warm up a closed loop: some seconds of the slower server on two cores. */
export const UNSIZED_WARM_UP = { batch: 300_000, single: 40_000 };

/** What the default comparison asks for next to the closed loop: a user's loads, and near saturation. */
export const MAIN_RATES = '1000,10000,75%';

/** What `--mode=open` and the full comparison ask for. */
export const DEFAULT_RATES = '1000,10000,30000,25%,50%,75%,90%';

/** Columns of a table where stdout is no terminal. */
export const PIPED_COLUMNS = 120;
