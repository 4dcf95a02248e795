/**
 * Records which states a follower applied, and when. The suite decides by it whether the follower stays in sync.
 *
 * It compares revisions as integers on its own, so that it detects errors in the client's comparison. Invariant: within
 * an epoch, each applied state that is older than a previously applied one counts as one violation.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import type { Answer } from './posting.ts';

/** How long to wait for an expected state before the run fails. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 2;

/** A state that a client applied or heard of, and when, in ms of {@link nowMs}. */
export interface State {
  readonly revision: number;
  readonly at_ms: number;
}

export class Journal {
  epoch: string | null = null;
  /** The newest revision that was applied in the current epoch; `-1` before the first. */
  newest = -1;
  /** The applied states, the times when fetches began, and three counts: all since the last `clear`. */
  applied: State[] = [];
  fetched_ms: number[] = [];
  invalidations = 0;
  not_modified = 0;
  violations = 0;
  /** Whether an older state fails the `check`. Otherwise it only counts. */
  isOrdered = true;
  #problem: string | null = null;
  #waiter: { readonly revision: number; resolve(at_ms: number): void } | null = null;

  /** Records a state that was applied at `at_ms`. Throws a `RangeError` if the revision is no integer below 2^53. */
  note(epoch: string, text: string, at_ms = nowMs()): void {
    const revision = Number(text);
    if (!Number.isSafeInteger(revision)) throw new RangeError(`the revision is ${text}`);
    if (epoch !== this.epoch) {
      this.epoch = epoch;
      this.newest = -1;
    }
    this.applied.push({ revision, at_ms });
    if (revision < this.newest) {
      this.violations++;
      if (this.isOrdered) this.fail(`the client applied an older state, ${revision} after ${this.newest}`);
    } else this.newest = revision;
    if (this.#waiter === null || revision < this.#waiter.revision) return;
    this.#waiter.resolve(at_ms);
    this.#waiter = null;
  }

  clear(): void {
    [this.applied, this.fetched_ms] = [[], []];
    this.invalidations = this.not_modified = this.violations = 0;
  }

  /** Returns the figures of the applied states and of the fetches. */
  figures() {
    const { applied, fetched_ms, invalidations, not_modified, violations } = this;
    return { invalidations, fetches: fetched_ms.length, not_modified, applies: applied.length, violations };
  }

  /**
   * Resolves to the time when a state at least as new as `revision` was applied since the last `clear`. Fails with
   * `out_of_sync` if none is applied within `patience_ms`. One caller waits at a time.
   */
  async reached(revision: number, patience_ms = PATIENCE_MS): Promise<number> {
    const found = firstAt(this.applied, revision);
    if (found !== undefined) return found;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const timer = setTimeout(() => {
      const missing = `the client has applied ${this.newest}, and not ${revision}, after ${patience_ms} ms`;
      reject(new BenchFailure('out_of_sync', missing));
    }, patience_ms);
    this.#waiter = { revision, resolve };
    return promise.finally(() => clearTimeout(timer));
  }

  /** Records a failure of the follower that no server of the contract causes. The first one counts. */
  fail(problem: string): void {
    this.#problem ??= problem;
  }

  /** Fails with `out_of_sync` if an older state was ever applied, or if the follower failed. */
  check(): void {
    if (this.#problem !== null) throw new BenchFailure('out_of_sync', this.#problem);
  }
}

/** Returns the time of the first state that is at least as new as `revision`. */
export function firstAt(states: readonly State[], revision: number): number | undefined {
  return states.find((state) => state.revision >= revision)?.at_ms;
}

/**
 * Returns how long a client waited for an acknowledged revision. A wait lasts from the response to a post until the
 * first state at least as new, which must be among `states`. It is 0 if the state came first.
 */
export function waitFor({ revision, answered_ms }: Answer, states: readonly State[]): number {
  return Math.max(0, firstAt(states, revision)! - answered_ms);
}

/** Checks a condition every two milliseconds. Fails with `out_of_sync` and `what` after some seconds. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const from_ms = nowMs();
  while (!(await isSo())) {
    if (nowMs() - from_ms > PATIENCE_MS)
      throw new BenchFailure('out_of_sync', `${what} has not come for ${PATIENCE_MS} ms`);
    await sleep(LOOK_MS);
  }
}
