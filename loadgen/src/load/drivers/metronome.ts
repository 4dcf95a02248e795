/**
 * Wakes the main thread at fixed moments, to a fraction of a millisecond, with little CPU time.
 *
 * libuv's timers have a resolution of whole milliseconds. A busy loop needs a whole core, which the server under test
 * may need. A thread that sleeps in `Atomics.wait` wakes in time and costs almost nothing. It wakes the main thread,
 * which waits with `Atomics.waitAsync`. Invariant: no tick is lost, although several may arrive as one when the main
 * thread is late.
 */
import { Worker } from 'node:worker_threads';

/** Indexes in the shared words: number of calls of `stop`, and number of ticks. */
export const STOPS = 0;
export const TICKS = 1;

/**
 * What the thread is sent by `run`: the time of the first tick by `nowMs`, and the time between two ticks. The run ends
 * once there were more than `stops` calls of `stop`.
 */
export type Run = Readonly<Record<'first_ms' | 'step_ms' | 'stops', number>>;

/** At high rates, requests that become due between two ticks are sent together. */
const SHORTEST_STEP_MS = 0.2;

export class Metronome {
  readonly #words = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  readonly #worker = new Worker(new URL('./metronome-worker.ts', import.meta.url), {
    workerData: this.#words,
  });
  #onTick: (() => void) | undefined;

  constructor() {
    void this.#listen();
  }

  /** Ticks at `first_ms` and every `step_ms` after it, until `stop`. */
  run(first_ms: number, step_ms: number, onTick: () => void): void {
    this.#onTick = onTick;
    const stops = Atomics.load(this.#words, STOPS);
    this.#worker.postMessage({ first_ms, step_ms: Math.max(step_ms, SHORTEST_STEP_MS), stops } satisfies Run);
  }

  stop(): void {
    this.#onTick = undefined;
    Atomics.add(this.#words, STOPS, 1);
    Atomics.notify(this.#words, STOPS);
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #listen(): Promise<void> {
    for (;;) {
      const seen = Atomics.load(this.#words, TICKS);
      this.#onTick?.();
      const wait = Atomics.waitAsync(this.#words, TICKS, seen);
      // When a tick has already arrived, the answers that came with it are handled first.
      await (wait.async ? wait.value : new Promise((resolve) => setImmediate(resolve)));
    }
  }
}
