/**
 * What a load driver does, whatever tool it uses: it sends a range of events to a server and says what came
 * of it.
 *
 * A driver runs in a process of its own, so that its CPU time is its own. It says nothing of the server's
 * inside, and counts as acknowledged only what an answer said.
 */
import type { Range } from '../bodies.ts';
import type { PoolFacts, PoolSource } from '../pool.ts';

export interface Job {
  readonly pool: PoolSource;
  readonly batchSize: number;
  readonly connections: number;
  /** A request without an answer after this long has failed. */
  readonly timeout_s: number;
}

export interface Driver {
  readonly name: string;
  /** `closed`: the next request waits for the last answer. `open`: requests are due at fixed times. */
  readonly model: 'closed' | 'open';
  /** Starts the generator and has it make its events; nothing is sent yet. */
  prepare(job: Job): Promise<Generator>;
}

export interface Generator {
  readonly pool: PoolFacts;
  /** How many events of the range carry an `event_id`. */
  send(url: string, range: Range, onProgress: (acknowledged: number) => void): Promise<Sent>;
  close(): Promise<void>;
}

/** Milliseconds from the writing of a request to its whole answer. */
export interface Latency {
  readonly p50_ms: number;
  readonly p90_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly p99_9_ms: number;
  readonly max_ms: number;
  readonly mean_ms: number;
}

export interface Sent {
  /** From the first request to the last answer. */
  readonly duration_ms: number;
  readonly requests: number;
  readonly sent_events: number;
  readonly sent_event_ids: number;
  readonly sent_bytes: number;
  /** Sums of what the 2xx answers said. */
  readonly received_events: number;
  readonly duplicate_events: number;
  readonly rejected_events: number;
  readonly non_2xx: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly status_codes: Readonly<Record<string, number>>;
  /** Of answered requests; `null` when none was. */
  readonly latency: Latency | null;
  /** Events acknowledged in each second since the first request; the last is cut short. */
  readonly acknowledged_per_second: readonly number[];
  /** CPU time of the generator's process, in microseconds. */
  readonly generator_cpu_us: number;
}
