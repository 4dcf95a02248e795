/** Those who wait for something to get so far, each for what it asked. */
interface Waiter {
  isReached(): boolean;
  resolve(): void;
  reject(reason: unknown): void;
}

export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves with the first release that finds it reached. */
  add(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ isReached, resolve, reject });
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
