/** Waits for a condition, and fails the run if it does not become true. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

const LOOK_MS = 2;

/** Checks every two milliseconds. Fails with `out_of_sync` and `what` after `patience_ms`. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  patience_ms: number,
  what: string,
): Promise<void> {
  const from = nowMs();
  while (!(await isSo())) {
    if (nowMs() - from > patience_ms)
      throw new BenchFailure('out_of_sync', `${what} has not come for ${patience_ms} ms`);
    await sleep(LOOK_MS);
  }
}
