/** Waits for a condition, and fails the run when it does not come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

const LOOK_MS = 2;

/** Looks every two milliseconds; `out_of_sync` after `patience_ms`, with what was waited for. */
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
