/**
 * Data that the driver and the k6 script exchange: an order as a JSON file, and k6's own counts at the end. The order
 * has the units of k6.
 */
import type { PackedPool } from '../src/load/packed-pool.ts';

export interface K6Job {
  /** Full URL of the POST requests. */
  readonly url: string;
  readonly first: number;
  readonly count: number;
  readonly batch_size: number;
  readonly pool: PackedPool;
  /** The arrays of the pool. k6 has no memory that its virtual users share, but they share files. */
  readonly places_file: string;
  readonly bytes_file: string;
  /** Number of requests per `time_unit`; k6 accepts only whole numbers. */
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
  /** Number of iterations that were due when no virtual user was free. */
  readonly dropped: number;
}
