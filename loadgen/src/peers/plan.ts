/** DATA: the load that every peer gets. */
import type { PoolSource } from '../load/pool.ts';

/** Small events, each with a UUID of its own. */
export const PEER_POOL: PoolSource = {
  corpus: undefined,
  payload: 'small',
  seed: 1,
  most: 20_000,
};

export const LOAD = {
  connections: 40,
  /** Events in a request, or in a run of messages without waiting in between. */
  batch: 50,
  warm_up_s: 1,
  /** Events per second of the open loop. */
  rate: 10_000,
  /** Seconds of load before the kill. */
  crash_s: 1,
} as const;
