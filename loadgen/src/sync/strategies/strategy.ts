/**
 * A way to keep a state in sync: what a scenario starts and can ask.
 *
 * Invariants: every strategy shows the same state, the newest rows of `events`. It records each applied state in its
 * journal.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { BenchFailure } from '../../failure.ts';
import type { Journal } from '../journal.ts';

/** The rows that a follower shows. */
export const ROWS = 50;

export interface FollowOptions {
  readonly url: string;
  /** For waits between attempts. */
  readonly random: () => number;
  /** How long the beginning may take. */
  readonly patience_ms: number;
  /** Stops it at the latest when the run ends. */
  readonly lifetime: Lifetime;
}

/** Since the beginning. */
export interface Counts {
  /** Frames that said that something changed. */
  readonly invalidations: number;
  readonly fetches: number;
  /** Answers 304. */
  readonly not_modified: number;
}

export interface Following {
  readonly journal: Journal;
  counts(): Counts;
  /** When each fetch began, in ms of `nowMs`. */
  readonly fetched_ms: readonly number[];
  /** What no server of the contract gives cause for; `null` while all is well. */
  problem(): BenchFailure | null;
  stop(): Promise<unknown>;
}

/** Resolves once it is in sync, and hears of whatever comes. */
export type Follow = (options: FollowOptions) => Promise<Following>;
