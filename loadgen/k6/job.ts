/** Data that the driver and the k6 script exchange: an order as a JSON file, and a line on stdout for each answer. */
import type { PackedPool } from '../src/load/packed-pool.ts';

export interface K6Job {
  readonly url: string;
  readonly first: number;
  readonly count: number;
  readonly batch_size: number;
  readonly pool: PackedPool;
  /** The arrays of the pool. k6 has no memory that its virtual users share, but they share files. */
  readonly places_file: string;
  readonly bytes_file: string;
  readonly timeout: string;
  /** The executor of k6 and its settings. */
  readonly scenario: object;
}

/** Begins the line of an answer; a `K6Answer` as JSON follows. */
export const ANSWER = 'answer ';

export interface K6Answer {
  readonly events: number;
  readonly bytes: number;
  /** 0 when no answer came. */
  readonly status: number;
  readonly body: string | null;
  /** Milliseconds from the moment the first request was due until the answer. */
  readonly at_ms: number;
  readonly latency_ms: number;
}
