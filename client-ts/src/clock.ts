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

/** Waits; not any longer once what `onBegin` is given was called, which later means nothing. */
export function wait(ms: number, clock: Clock, onBegin: (hurry: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    onBegin(() => {
      cancel();
      resolve();
    });
  });
}

/** Waits; rejects with the signal's reason when that comes first. */
export async function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  await wait(ms, clock, (hurry) => {
    stop = hurry;
    signal.addEventListener('abort', stop);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
}
