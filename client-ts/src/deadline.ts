/**
 * A signal for one exchange: it aborts with the caller's signal, or when the exchange takes too long.
 *
 * Invariant: after the exchange, no timer remains, and no listener on a signal that outlives it. `AbortSignal.timeout`
 * is not used: it keeps its timer until it fires, and accepts no other clock.
 */
import type { Clock } from './clock.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the time limit, which applies until it is paused or set again. */
  set(ms: number): void;
  pause(): void;
  /** Ends the exchange. */
  readonly end: () => void;
}

export function deadlineOf(clock: Clock, given: AbortSignal): Deadline {
  const own = new AbortController();
  let pause = () => {};
  const follow = () => own.abort(given.reason);
  if (given.aborted) follow();
  given.addEventListener('abort', follow);
  return {
    signal: own.signal,
    set(ms) {
      pause();
      pause = clock.after(ms, () => own.abort(new DOMException('nothing came in time', 'TimeoutError')));
    },
    pause: () => pause(),
    end: () => {
      pause();
      given.removeEventListener('abort', follow);
    },
  };
}

/** Runs an exchange with a time limit. Without a limit, an exchange over a half-open connection would never end. */
export function within<T>(
  ms: number,
  clock: Clock,
  given: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = deadlineOf(clock, given);
  deadline.set(ms);
  return exchange(deadline.signal).finally(deadline.end);
}
