/** Those who wait for something to get so far, each for what it asked. */
interface Waiter {
  isReached(): boolean;
  resolve(): void;
  reject(reason: unknown): void;
}

export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves with the first release that finds it reached; rejects once the signal is aborted. */
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

  /** Nothing will be reached any more. */
  reject(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }
}
