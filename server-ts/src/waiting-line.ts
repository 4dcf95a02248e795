/**
 * Orders requests that wait for events: the oldest first, and the newest first during a long overload (rule ING-10).
 *
 * During an overload, a line in the order of arrival serves only requests that waited for nearly the whole time limit.
 * Newest first, those that are served wait shortly, and the others wait for their refusal (decision 100).
 *
 * Invariant: one request at a time has the place, and `give` passes it on.
 */
import { TUNING } from './contract.ts';

interface Waiting {
  readonly since: number;
  readonly settle: (isTaken: boolean) => void;
}

/** The place in front, and the requests that wait for it. */
export class WaitingLine {
  private isTaken = false;
  /** Ordered by `since`. */
  private readonly waiting: Waiting[] = [];

  /**
   * Waits for the place in front; `since` is when the request first waited. Returns whether the place became free
   * within `ms`, in the turn of this request.
   */
  take(since: number, ms: number): Promise<boolean> | boolean {
    if (!this.isTaken) {
      this.isTaken = true;
      return true;
    }
    return new Promise((resolve) => {
      const settle = (isTaken: boolean): void => {
        clearTimeout(timer);
        resolve(isTaken);
      };
      const waiting: Waiting = { since, settle };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        settle(false);
      }, ms);
      const at = this.waiting.findLastIndex((other) => other.since <= since);
      this.waiting.splice(at + 1, 0, waiting);
    });
  }

  /** Passes the place on to the request that has its turn; without one the place is free. */
  give(): void {
    const [oldest] = this.waiting;
    const isLong = oldest !== undefined && performance.now() - oldest.since > TUNING.admission_order_ms;
    const next = isLong ? this.waiting.pop() : this.waiting.shift();
    this.isTaken = next !== undefined;
    next?.settle(true);
  }
}
