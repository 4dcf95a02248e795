/**
 * Releases everything that a run created, however it ends: child processes and temporary folders.
 *
 * Invariant: it ends or removes only what was added here, newest first, and at most once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interrupted } from './failure.ts';

type Release = () => Promise<unknown>;

export class Lifetime {
  readonly #held = new Set<Release>();
  readonly #abort = new AbortController();

  /** Aborts once the run is interrupted. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Registers `release` for the end. The returned function releases early. */
  add(release: Release): Release {
    const once: Release = async () => {
      if (!this.#held.delete(once)) return;
      await release();
    };
    this.#held.add(once);
    return once;
  }

  /** Creates a new folder, removed at the end with its contents. */
  async temporaryFolder(): Promise<{ readonly path: string; readonly release: Release }> {
    const path = await mkdtemp(join(tmpdir(), 'twin-ingest-bench-'));
    return { path, release: this.add(() => rm(path, { recursive: true, force: true })) };
  }

  /** Aborts `signal`, so that the run ends. */
  interrupt(): void {
    this.#abort.abort(new Interrupted());
  }

  /** Releases everything; a failed release does not affect the others. */
  async end(): Promise<void> {
    for (const release of [...this.#held].reverse()) await release().catch(() => undefined);
  }

  /** Returns the promise's value, or `Interrupted` as soon as the run is interrupted. */
  async orInterrupted<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    // No caller waits for the promise after an interruption, so its failure must not end the process.
    if (signal.aborted) promise.catch(() => undefined);
    signal.throwIfAborted();
    let stop: (() => void) | undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
    });
    try {
      return await Promise.race([promise, stopped]);
    } finally {
      signal.removeEventListener('abort', stop!);
    }
  }
}
