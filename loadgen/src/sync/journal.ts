/**
 * Records which states a follower applied, and when. The suite decides by it whether the follower stays in sync.
 *
 * It compares revisions as integers on its own, so that it detects errors in the client's comparison. Invariant: within
 * an epoch, each applied state that is older than a previously applied one counts as one violation.
 */
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import type { Answer } from './poster-process.ts';

export interface Applied {
  readonly at_ms: number;
  readonly revision: bigint;
}

export class Journal {
  epoch: string | null = null;
  /** The newest revision that was applied in the current epoch; `-1` before the first. */
  newest = -1n;
  /** Number of applied states, older ones included. */
  applies = 0;
  violations = 0;
  #problem: string | null = null;
  /** The states that were applied since the last `clear`. */
  since: Applied[] = [];
  #waiter: { readonly revision: bigint; resolve(at_ms: number): void } | null = null;

  /**
   * Records a state that was applied at `at_ms` of {@link nowMs}. Throws a `SyntaxError` if the revision is not an
   * integer.
   */
  note(epoch: string, revision: string, at_ms = nowMs()): void {
    const number = BigInt(revision);
    this.applies++;
    if (epoch !== this.epoch) {
      this.epoch = epoch;
      this.newest = -1n;
    }
    if (number < this.newest) this.violations++;
    else this.newest = number;
    this.since.push({ at_ms, revision: number });
    if (this.#waiter === null || this.newest < this.#waiter.revision) return;
    this.#waiter.resolve(at_ms);
    this.#waiter = null;
  }

  /** Forgets the applied states that `since`, `firstAbove` and `reached` return. */
  clear(): void {
    this.since = [];
  }

  /**
   * Returns the time when a state newer than `revision` was first applied since the last `clear`; `undefined` if there
   * is none.
   */
  firstAbove(revision: bigint): number | undefined {
    return this.since.find((applied) => applied.revision > revision)?.at_ms;
  }

  /**
   * Resolves to the time when a state at least as new as `revision` was applied since the last `clear`. Fails with
   * `out_of_sync` if none is applied within `patience_ms`. One caller waits at a time.
   */
  reached(revision: bigint, patience_ms: number): Promise<number> {
    const found = this.firstAbove(revision - 1n);
    if (found !== undefined) return Promise.resolve(found);
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
    const times = this.violations === 1 ? 'once' : `${this.violations} times`;
    if (this.violations > 0)
      throw new BenchFailure('out_of_sync', `the client applied an older state ${times}`);
    if (this.#problem !== null) throw new BenchFailure('out_of_sync', this.#problem);
  }
}

/** The revisions that a client received, in ascending order, and when it received each, in milliseconds. */
export interface Heard {
  readonly heard: readonly number[];
  readonly heard_ms: readonly number[];
}

/**
 * Returns how long a client waited for each acknowledged revision. A wait lasts from the response to a post until the
 * client received a revision at least as new. It is 0 if the revision came first, and `null` if none came.
 */
export function waitsOf(answers: readonly Answer[], { heard_ms, heard }: Heard): (number | null)[] {
  let at = 0;
  return answers
    .map(({ answered_ms, revision }) => [Number(revision), answered_ms] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([revision, answered_ms]) => {
      while (at < heard.length && heard[at]! < revision) at++;
      return at === heard.length ? null : Math.max(0, heard_ms[at]! - answered_ms);
    });
}
