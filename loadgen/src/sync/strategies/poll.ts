/** Polls at an interval. A fetch of an unchanged state gets a 304. */

import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { RowsReader } from './rows.ts';
import type { Follow } from './strategy.ts';

export function poll(every_ms: number): Follow {
  return async ({ url, lifetime }) => {
    const journal = new Journal();
    const fetched_ms: number[] = [];
    const reader = new RowsReader(url);
    let not_modified = 0;
    let tag: string | undefined;
    let isAsking = false;
    let isOver = false;
    let problem: BenchFailure | null = null;
    const ask = async () => {
      fetched_ms.push(nowMs());
      const state = await reader.read(tag);
      if (state === null) not_modified++;
      else {
        journal.note(state.epoch, state.revision);
        tag = state.tag;
      }
    };
    await ask();
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        await ask();
      } catch (error) {
        if (!isOver) problem ??= new BenchFailure('out_of_sync', `the poll failed: ${String(error)}`);
      }
      isAsking = false;
    }, every_ms);
    const stop = lifetime.add(async () => {
      isOver = true;
      clearInterval(timer);
      await reader.close();
    });
    return {
      journal,
      fetched_ms,
      counts: () => ({ invalidations: 0, fetches: fetched_ms.length, not_modified }),
      problem: () => problem,
      stop,
    };
  };
}
