/**
 * A way to keep a state in sync: what a scenario starts and can read.
 *
 * Invariants: every strategy shows the same state, the newest rows of `events`. It records each applied state in its
 * journal.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { BenchFailure } from '../../failure.ts';
import type { Journal } from '../journal.ts';

/** Number of rows that a follower shows. */
export const ROWS = 50;

export interface FollowOptions {
  readonly url: string;
  /** PRNG for the waits between attempts. */
  readonly random: () => number;
  /** Longest time that the start may take. */
  readonly patience_ms: number;
  /** Stops the follower when the run ends. */
  readonly lifetime: Lifetime;
}

/** Counts since the start of the follower. */
export interface Counts {
  /** Number of frames that reported a change. */
  readonly invalidations: number;
  readonly fetches: number;
  /** Number of responses 304. */
  readonly not_modified: number;
}

export interface Following {
  readonly journal: Journal;
  counts(): Counts;
  /** When each fetch began, in ms of `nowMs`. */
  readonly fetched_ms: readonly number[];
  /** Returns a failure that no server of the contract causes; `null` if there is none. */
  problem(): BenchFailure | null;
  stop(): Promise<unknown>;
}

/** Resolves once the follower is in sync and receives changes. */
export type Follow = (options: FollowOptions) => Promise<Following>;
