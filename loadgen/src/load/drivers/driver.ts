/**
 * The interface of a load driver: it sends a range of events to a server and reports the outcome.
 *
 * A driver runs in a separate process, so that its CPU time can be measured. It counts an event as acknowledged only
 * when an answer states it.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Latency } from '../../analyse/histogram.ts';
import type { Placement } from '../../plan/placement.ts';
import type { Range, RequestShape } from '../bodies.ts';
import type { PoolFacts, PoolSource } from '../pool.ts';

export interface Job extends RequestShape {
  readonly pool: PoolSource;
  readonly connections: number;
  /** Seconds after which a request without an answer has failed. */
  readonly timeout_s: number;
}

export interface DriverFacts {
  readonly name: string;
  readonly version: string;
  /** `closed`: the next request waits for the last answer. `open`: requests are due at fixed times. */
  readonly model: 'closed' | 'open';
  /** Start of a latency: the moment a request was due, or the moment it was written. */
  readonly latency_from: 'due' | 'sent';
  readonly latency_resolution_us: number;
}

export interface DriverContext {
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

/** Starts a generator, which creates its events. It sends nothing yet. */
export type Driver = (job: Job, context: DriverContext) => Promise<Generator>;

export interface Order {
  readonly url: string;
  readonly range: Range;
  /** Events due per second; `null` in a closed loop, where the next request waits for an answer. */
  readonly rate_events_per_s: number | null;
}

/** A generator may be used for many rounds, one order at a time. */
export interface Generator {
  readonly facts: DriverFacts;
  readonly pool: PoolFacts;
  send(order: Order): Promise<Sent>;
  close(): Promise<void>;
}

export interface Sent {
  /** Milliseconds from the first request (open model: the moment it was due) to the last answer. */
  readonly duration_ms: number;
  readonly requests: number;
  readonly sent_events: number;
  readonly sent_bytes: number;
  /** Sum of `received` of all 2xx answers. */
  readonly received_events: number;
  /** Number of answers that are no 2xx, or cannot be parsed. */
  readonly non_2xx: number;
  /** Number of requests without an answer, including timeouts. */
  readonly errors: number;
  /** Number of requests that were due and never sent. Only k6 drops requests; for other drivers it is 0. */
  readonly dropped_requests: number;
  readonly status_codes: Readonly<Record<string, number>>;
  /** Latency of answered requests; `null` when no request was answered. */
  readonly latency: Latency | null;
  /**
   * Open model: the delay that the generator itself causes, from the moment a request was due and had a connection
   * until it was written. `null` where the generator does not measure it.
   */
  readonly generator_delay: Latency | null;
  /** CPU time of the generator's process, in microseconds. */
  readonly generator_cpu_us: number;
}
