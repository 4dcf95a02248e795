/**
 * The metronome's thread: it sleeps until the next tick and notifies the main thread.
 *
 * Invariant: a tick is never early, since the main thread would find nothing due and wait for the next one.
 */
import { workerData } from 'node:worker_threads';
import { nowMs } from '../../observe/clock.ts';
import { FIRST, type Shared, STATE, STEP, TICKS } from './metronome.ts';

const { words, times } = workerData as Shared;

for (;;) {
  const state = Atomics.load(words, STATE);
  if (state % 2 === 0) Atomics.wait(words, STATE, state);
  else tickWhile(state);
}

function tickWhile(state: number): void {
  const first = times[FIRST]!;
  const step = times[STEP]!;
  for (let tick = 0; sleepUntil(first + tick * step, state); ) {
    Atomics.add(words, TICKS, 1);
    Atomics.notify(words, TICKS);
    // Missed ticks are skipped: at the next tick, the main thread sends all that is due.
    tick = Math.max(tick + 1, Math.ceil((nowMs() - first) / step));
  }
}

function sleepUntil(moment_ms: number, state: number): boolean {
  for (;;) {
    const left_ms = moment_ms - nowMs();
    if (left_ms <= 0) return Atomics.load(words, STATE) === state;
    if (Atomics.wait(words, STATE, state, left_ms) !== 'timed-out') return false;
  }
}
