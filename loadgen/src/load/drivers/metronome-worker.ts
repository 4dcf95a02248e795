/**
 * The metronome's thread: it sleeps until the next tick and notifies the main thread.
 *
 * Invariant: a tick is never early, since the main thread would find nothing due and wait for the next one.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { nowMs } from '../../observe/clock.ts';
import { type Run, STOPS, TICKS } from './metronome.ts';

const words = workerData as Int32Array<SharedArrayBuffer>;

parentPort!.on('message', ({ first_ms, step_ms, stops }: Run) => {
  for (let tick = 0; sleepUntil(first_ms + tick * step_ms, stops); ) {
    Atomics.add(words, TICKS, 1);
    Atomics.notify(words, TICKS);
    // Missed ticks are skipped: at the next tick, the main thread sends all that is due.
    tick = Math.max(tick + 1, Math.ceil((nowMs() - first_ms) / step_ms));
  }
});

/** Returns whether the moment has come, and not the end of the run. */
function sleepUntil(moment_ms: number, stops: number): boolean {
  for (let left_ms = moment_ms - nowMs(); left_ms > 0; left_ms = moment_ms - nowMs())
    if (Atomics.wait(words, STOPS, stops, left_ms) !== 'timed-out') return false;
  return Atomics.load(words, STOPS) === stops;
}
