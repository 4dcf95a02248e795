/**
 * Collects errors that a scenario does not wait for: rejections without a handler, and exceptions in callbacks.
 *
 * Such an error ends a process of Node. One scenario with concurrent requests would then end all others.
 *
 * Invariant: no error is lost. Outside of a scenario, or after one that did not fail, it still ends the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<StrayErrors>();

export class StrayErrors {
  readonly #errors: unknown[] = [];
  #acceptsMore = true;

  /** Runs the work. Errors of everything that it starts belong to this collection. */
  collect<T>(work: () => Promise<T>): Promise<T> {
    return current.run(this, work);
  }

  /** Returns the errors up to now. Later ones end the process, unless the scenario has failed. */
  end(hasFailed: boolean): readonly unknown[] {
    this.#acceptsMore = hasFailed || this.#errors.length > 0;
    return this.#errors;
  }

  add(error: unknown): void {
    if (!this.#acceptsMore) throw error;
    this.#errors.push(error);
  }
}

// Node reports a rejection without a handler as an uncaught exception too.
process.on('uncaughtException', (error) => {
  const errors = current.getStore();
  if (errors === undefined) throw error;
  errors.add(error);
});
