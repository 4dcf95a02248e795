/**
 * Everything a run must take back, whatever ends it: child processes and temporary folders.
 *
 * What must stay true: only what was added here is ended or removed, newest first, and at most once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interrupted } from './failure.ts';

type Release = () => Promise<unknown>;

export class Lifetime {
  readonly #held = new Set<Release>();
  readonly #abort = new AbortController();

  /** Aborted once the run is interrupted. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Holds `release` until it is called; calling what this returns releases early. */
  add(release: Release): Release {
    const once: Release = async () => {
      if (!this.#held.delete(once)) return;
      await release();
    };
    this.#held.add(once);
    return once;
  }

  /** A fresh folder of its own, removed with everything in it. */
  async temporaryFolder(): Promise<{ readonly path: string; readonly release: Release }> {
    const path = await mkdtemp(join(tmpdir(), 'twin-ingest-bench-'));
    return { path, release: this.add(() => rm(path, { recursive: true, force: true })) };
  }

  /** Stops what waits on `signal`, so that the run unwinds. */
  interrupt(): void {
    this.#abort.abort(new Interrupted());
  }

  /** Releases all; a release that fails does not keep the others from theirs. */
  async end(): Promise<void> {
    for (const release of [...this.#held].reverse()) await release().catch(() => undefined);
  }

  /** The promise's value, or `Interrupted` as soon as the run is interrupted. */
  async orInterrupted<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
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
