/** Holds callers that each wait for their own condition. */
interface Waiter {
  isReached(): boolean;
  resolve(): void;
  reject(reason: unknown): void;
}

export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves at the first release that finds the condition true; rejects once the signal is aborted. */
  add(isReached: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { isReached, resolve, reject };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      });
    });
  }

  release(): void {
    for (const waiter of this.#waiting)
      if (waiter.isReached()) {
        this.#waiting.delete(waiter);
        waiter.resolve();
      }
  }

  /** Rejects all callers, because no condition can become true any more. */
  reject(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }
}
