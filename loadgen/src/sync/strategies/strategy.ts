/**
 * A way to keep a state in sync: what a scenario starts and can read.
 *
 * Invariants: every strategy shows the same state, the newest rows of `events`. It records each applied state in its
 * journal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import type { Journal } from '../journal.ts';

/** DATA: the names of the strategies, the shipped one first. */
export const STRATEGY_NAMES = ['sync', 'push', 'fetch_each', 'debounce_50', 'poll_250'] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** The strategies that are compared. They are a parameter of the suite, so that tests can pass faulty ones. */
export type Strategies = Readonly<Record<StrategyName, Follow>>;

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

/** Begins to count. The returned function returns the counts since then. */
export function countFrom({ journal, counts }: Following) {
  const all = () => ({ ...counts(), applies: journal.applies, violations: journal.violations });
  const before = all();
  return () => {
    const now = all();
    const keys = Object.keys(before) as (keyof typeof before)[];
    return Object.fromEntries(keys.map((key) => [key, now[key] - before[key]])) as typeof before;
  };
}

/** Fails if the client applied an older state, or if it received a message that violates the contract. */
export function checkFollowing(following: Following): void {
  following.journal.check();
  const problem = following.problem();
  if (problem !== null) throw problem;
}

const LOOK_MS = 2;

/** Checks a condition every two milliseconds. Fails with `out_of_sync` and `what` after `patience_ms`. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  patience_ms: number,
  what: string,
): Promise<void> {
  const from = nowMs();
  while (!(await isSo())) {
    if (nowMs() - from > patience_ms)
      throw new BenchFailure('out_of_sync', `${what} has not come for ${patience_ms} ms`);
    await sleep(LOOK_MS);
  }
}
