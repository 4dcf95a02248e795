/**
 * What the driver and the k6 script send each other: an order as a JSON file, and k6's own counts at the end. The
 * order has the units of k6.
 */
import type { SharedPool } from './bodies.ts';

export interface K6Job {
  /** The whole address to post to. */
  readonly url: string;
  /** One event a request instead of a batch. */
  readonly single: boolean;
  readonly first: number;
  readonly count: number;
  readonly batch_size: number;
  readonly pool: SharedPool;
  readonly places_file: string;
  readonly bytes_file: string;
  /** Requests in each `time_unit`; k6 takes whole numbers alone. */
  readonly rate: number;
  readonly time_unit: string;
  readonly duration: string;
  readonly pre_allocated_vus: number;
  readonly max_vus: number;
  readonly timeout: string;
  readonly graceful_stop: string;
}

export interface K6Summary {
  readonly requests: number;
  /** Iterations that were due when no virtual user was free. */
  readonly dropped: number;
}
