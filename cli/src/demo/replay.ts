/**
 * Plays a timeline, each item at its time.
 *
 * Invariant: items are played in order, one after the other. An item that takes longer than its gap delays the
 * following ones.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Timeline } from './timeline.ts';

/** After this many due items, other tasks of this process may run. */
const ITEMS_A_TURN = 50;

export interface ReplayOptions<T> {
  readonly timeline: Timeline<T>;
  /** Speed factor; 1 is real time, Infinity plays without pauses. */
  readonly speed: number;
  play(item: T, at_ms: number): Promise<void> | void;
}

/** Resolves when the timeline ends or the signal aborts. */
export async function replay<T>(
  { timeline, speed, play }: ReplayOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  let start_ms = performance.now();
  let played = 0;
  for (const { at_ms, item } of timeline) {
    const early_ms = start_ms + at_ms / speed - performance.now();
    if (early_ms > 0) await setTimeout(early_ms, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const from_ms = performance.now();
    await play(item, at_ms);
    start_ms += performance.now() - from_ms;
    if (++played % ITEMS_A_TURN === 0) await setImmediate();
  }
}
