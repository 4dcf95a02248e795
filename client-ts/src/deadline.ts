/**
 * A signal for one exchange: it ends with the signal of whoever asked, or when something takes too long.
 *
 * What must stay true: once the exchange is over nothing of it is left, neither a timer nor a listener on a signal that
 * lives on. `AbortSignal.timeout` keeps its timer until it fires, and knows no clock but its own.
 */
import type { Clock } from './clock.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** From now on there is so long, unless it is paused or set again. */
  set(ms: number): void;
  pause(): void;
  /** The exchange is over. */
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

/** An exchange that is given up after so long: one over a connection whose other end is gone would never end. */
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
