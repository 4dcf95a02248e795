/** Abstracts time: monotonic, and replaceable in tests. */
export interface Clock {
  /** Returns monotonic milliseconds from an arbitrary start. */
  now(): number;
  /** Calls `call` once, at the earliest after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms` milliseconds. `onBegin` receives a function that ends the wait early. */
export function wait(ms: number, clock: Clock, onBegin: (hurry: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    onBegin(() => {
      cancel();
      resolve();
    });
  });
}

/** Waits `ms` milliseconds. Rejects with the signal's reason if the signal aborts first. */
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
