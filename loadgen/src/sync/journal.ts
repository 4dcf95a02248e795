/**
 * The states that a follower applied, and when. It decides whether the follower stays in sync.
 *
 * It compares revisions itself, as integers, so that a fault of the client's own comparison shows. Invariant: within
 * an epoch, a state that is older than an applied one is a violation and counts once.
 */

import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

export interface Applied {
  readonly at_ms: number;
  readonly revision: bigint;
}

interface Waiter {
  readonly revision: bigint;
  resolve(at_ms: number): void;
}

export class Journal {
  #epoch: string | null = null;
  #newest = -1n;
  #applied: Applied[] = [];
  #applies = 0;
  #violations = 0;
  readonly #waiters = new Set<Waiter>();

  /** States that were applied, older ones too. */
  get applies(): number {
    return this.#applies;
  }
  get violations(): number {
    return this.#violations;
  }
  /** The newest revision that was applied of the present epoch; `-1` before any. */
  get newest(): bigint {
    return this.#newest;
  }
  get epoch(): string | null {
    return this.#epoch;
  }

  /** A state was applied now, or at `at_ms` of {@link nowMs}. Throws a `SyntaxError` for what is no integer. */
  note(epoch: string, revision: string, at_ms = nowMs()): void {
    const number = BigInt(revision);
    this.#applies++;
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#newest = -1n;
    }
    if (number < this.#newest) this.#violations++;
    else this.#newest = number;
    this.#applied.push({ at_ms, revision: number });
    for (const waiter of this.#waiters) {
      if (this.#newest < waiter.revision) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(at_ms);
    }
  }

  /** From here on `since` and `reached` look at what comes. */
  clear(): void {
    this.#applied = [];
  }

  /** What was applied since the last `clear`. */
  get since(): readonly Applied[] {
    return this.#applied;
  }

  /** When a state that is newer than this was first applied since the last `clear`; `undefined` while there is none. */
  firstAbove(revision: bigint): number | undefined {
    return this.#applied.find((applied) => applied.revision > revision)?.at_ms;
  }

  /**
   * When a state at least as new was applied since the last `clear`, or will be; fails with `out_of_sync` when none
   * comes for `patience_ms`.
   */
  reached(revision: bigint, patience_ms: number, who: string): Promise<number> {
    const found = this.#applied.find((applied) => applied.revision >= revision);
    if (found !== undefined) return Promise.resolve(found.at_ms);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        revision,
        resolve: (at_ms) => {
          clearTimeout(timer);
          resolve(at_ms);
        },
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        const missing = `${who} has applied ${this.#newest}, and not ${revision}, after ${patience_ms} ms`;
        reject(new BenchFailure('out_of_sync', missing));
      }, patience_ms);
      this.#waiters.add(waiter);
    });
  }

  /** Fails with `out_of_sync` when an older state was ever applied. */
  check(who: string): void {
    if (this.#violations === 0) return;
    const times = this.#violations === 1 ? 'once' : `${this.#violations} times`;
    throw new BenchFailure('out_of_sync', `${who} applied an older state ${times}`);
  }
}
