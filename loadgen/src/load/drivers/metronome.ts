/**
 * Wakes the main thread at fixed moments, to a fraction of a millisecond, with little CPU time.
 *
 * libuv's timers have a resolution of whole milliseconds. A busy loop needs a whole core, which the server under test
 * may need. A thread that sleeps in `Atomics.wait` wakes in time and costs almost nothing. It wakes the main thread,
 * which waits with `Atomics.waitAsync`. Invariant: no tick is lost, although several may arrive as one when the main
 * thread is late.
 */
import { Worker } from 'node:worker_threads';

/** Indexes in the shared words: number of calls of `run` and `stop` (odd: running), and number of ticks. */
export const STATE = 0;
export const TICKS = 1;

/** Indexes in the shared times: time of the first tick by `nowMs`, and time between two ticks, in milliseconds. */
export const FIRST = 0;
export const STEP = 1;

export interface Shared {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly times: Float64Array<SharedArrayBuffer>;
}

/**
 * Minimum milliseconds between two ticks. At high rates, requests that become due between two ticks are sent together.
 */
const SHORTEST_STEP_MS = 0.2;

export class Metronome {
  readonly #shared: Shared = {
    words: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
    times: new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)),
  };
  readonly #worker = new Worker(new URL('./metronome-worker.ts', import.meta.url), {
    workerData: this.#shared,
  });
  #onTick: (() => void) | undefined;

  constructor() {
    void this.#listen();
  }

  /** Ticks at `first_ms` and every `step_ms` after it, until `stop`. */
  run(first_ms: number, step_ms: number, onTick: () => void): void {
    if (this.#onTick !== undefined) throw new Error('the metronome runs already');
    this.#onTick = onTick;
    this.#shared.times[FIRST] = first_ms;
    this.#shared.times[STEP] = Math.max(step_ms, SHORTEST_STEP_MS);
    this.#change();
  }

  stop(): void {
    if (this.#onTick === undefined) return;
    this.#onTick = undefined;
    this.#change();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#worker.terminate();
  }

  #change(): void {
    Atomics.add(this.#shared.words, STATE, 1);
    Atomics.notify(this.#shared.words, STATE);
  }

  async #listen(): Promise<void> {
    const { words } = this.#shared;
    for (;;) {
      const seen = Atomics.load(words, TICKS);
      this.#onTick?.();
      const wait = Atomics.waitAsync(words, TICKS, seen);
      // When a tick has already arrived, the answers that came with it are handled first.
      await (wait.async ? wait.value : new Promise((resolve) => setImmediate(resolve)));
    }
  }
}
