/**
 * The interface of a load driver: it sends a range of events to a server and reports the outcome.
 *
 * A driver runs in a separate process, so that its CPU time can be measured. It counts an event as acknowledged only
 * when an answer states it.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Placement } from '../../plan/placement.ts';
import type { Range, RequestShape } from '../bodies.ts';
import type { PoolFacts, PoolSource } from '../pool.ts';
import type { Tally } from './tally.ts';

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

/** Starts a generator, which creates its events. It sends nothing yet. */
export type Driver = (
  job: Job,
  how: { readonly placement: Placement; readonly lifetime: Lifetime },
) => Promise<Generator>;

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

/** The outcome of an order, whose figures {@link Tally.result} describes. */
export type Sent = Readonly<ReturnType<Tally['result']>>;
