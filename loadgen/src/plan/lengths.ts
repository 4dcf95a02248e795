/** DATA: how long rounds and warm-ups are where no flag says it. */

/**
 * Seconds of a round. Of a closed loop, what the faster server takes at the pace of its trial, so that a round takes ten
 * and more: rounds after trials of a third of one were up to 15 % faster (200,709 events/s after 174,888). Single events
 * scatter more: rounds of equal size took 8.5 to 27.8 s in one run (decision 29).
 */
export const ROUND_S = { batch: 13, single: 16, open: 10 };

/** Seconds of a soak per server, and with `--quick`. */
export const SOAK_S = 600;
export const QUICK_SOAK_S = 60;

/** Seconds at its rate that warm up an open loop, and a soak. */
export const WARMUP_S = { open: 4, soak: 10 };

/** Events that warm up a closed loop whose pace is unknown, as in a trial: seconds of the slower server on two cores. */
export const UNSIZED_WARM_UP = { batch: 300_000, single: 60_000 };

/** What `--mode=open` asks for: shares of each server's own throughput, and the same rates for both. */
export const DEFAULT_RATES = '25%,50%,75%,90%,2000,10000,30000';

/** Columns of a table where stdout is no terminal. */
export const PIPED_COLUMNS = 120;
