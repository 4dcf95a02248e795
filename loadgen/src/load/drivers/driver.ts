/**
 * The interface of a load driver: it sends a range of events to a server and reports the outcome.
 *
 * A driver runs in a process of its own, so that its CPU time is its own. It counts as acknowledged only what an
 * answer states.
 */
import type { Range } from '../bodies.ts';
import type { PoolFacts, PoolSource } from '../pool.ts';

export interface Job {
  readonly pool: PoolSource;
  /** `single`: one event a request over `POST /api/events`, and `batchSize` is 1. */
  readonly endpoint: 'batch' | 'single';
  readonly batchSize: number;
  readonly connections: number;
  /** A request without an answer after this long has failed. */
  readonly timeout_s: number;
}

/** `closed`: the next request waits for the last answer. `open`: requests are due at fixed times. */
export type Model = 'closed' | 'open';

export interface DriverFacts {
  readonly name: string;
  readonly version: string;
  readonly model: Model;
  /** From when latency is counted: the moment a request was due, or the moment it was written. */
  readonly latency_from: 'due' | 'sent';
  readonly latency_resolution_us: number;
}

export interface Driver {
  readonly facts: DriverFacts;
  /** Starts the generator and has it make its events; nothing is sent yet. */
  prepare(job: Job): Promise<Generator>;
}

export interface Order {
  readonly url: string;
  readonly range: Range;
  /** Events due per second; `null`: as fast as answers come, which an open driver does not do. */
  readonly rate_events_per_s: number | null;
}

/** A generator may be used for many rounds, one order at a time. */
export interface Generator {
  readonly pool: PoolFacts;
  send(order: Order, onProgress: (acknowledged: number) => void): Promise<Sent>;
  close(): Promise<void>;
}

/** Milliseconds, from an HDR histogram of microseconds with three significant digits. */
export interface Latency {
  readonly min_ms: number;
  readonly p50_ms: number;
  readonly p90_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly p99_9_ms: number;
  readonly max_ms: number;
  readonly mean_ms: number;
  readonly samples: number;
  /** The whole histogram of microseconds, compressed (HdrHistogram V2, base64). */
  readonly histogram: string;
}

export interface Sent {
  /** From the first request (open: the moment it was due) to the last answer. */
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
  /** Requests that were due and never sent; 0 but for a driver that gives up (k6). */
  readonly dropped_requests: number;
  readonly status_codes: Readonly<Record<string, number>>;
  /** Of answered requests; `null` when none was. */
  readonly latency: Latency | null;
  /**
   * Open model: from the moment a request was due to its writing; else `null`. Where every connection was busy, that is
   * the server's doing.
   */
  readonly send_delay: Latency | null;
  /**
   * Open model: the generator's own part, from the moment when a request was due and had a connection until it was
   * written. Absent where the generator does not measure it.
   */
  readonly generator_delay?: Latency | null;
  /** Events acknowledged in each second since the first request; the last is cut short. */
  readonly acknowledged_per_second: readonly number[];
  /** CPU time of the generator's process, in microseconds. */
  readonly generator_cpu_us: number;
}
