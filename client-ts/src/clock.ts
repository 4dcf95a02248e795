/** Time as the client uses it: monotonic, and replaceable in tests. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls once, not before so many milliseconds have passed; what it returns takes the call back. */
  after(ms: number, call: () => void): () => void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason when that comes first. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
