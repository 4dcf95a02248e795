/** The alternative to invalidation: the stream pushes every event, and the follower applies it or fetches the rows. */
import { streamEvents } from '@twin-ingest/client';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { until } from '../until.ts';
import { RowsReader } from './rows.ts';
import type { Follow } from './strategy.ts';

/** Applies the event of the frame. */
export const push: Follow = stream(false);

/** Uses a frame only as a notification and fetches the rows each time, without ordering the fetches. */
export const fetchEach: Follow = stream(true);

function stream(isFetching: boolean): Follow {
  return async ({ url, random, patience_ms, lifetime }) => {
    const journal = new Journal();
    const fetched_ms: number[] = [];
    const reader = new RowsReader(url);
    const end = new AbortController();
    let invalidations = 0;
    let isOpen = false;
    let problem: BenchFailure | null = null;
    const fail = (error: unknown) => {
      if (end.signal.aborted) return;
      problem ??=
        error instanceof BenchFailure
          ? error
          : new BenchFailure('out_of_sync', `the stream failed: ${String(error)}`);
    };
    const fetchRows = async () => {
      fetched_ms.push(nowMs());
      const state = await reader.read();
      journal.note(state!.epoch, state!.revision);
    };
    const first = await reader.read();
    const { epoch, revision } = first!;
    journal.note(epoch, revision);
    const running = streamEvents({
      baseUrl: url,
      random,
      // Starts where the first state ends, so that no event is missing between them.
      from: { epoch, id: Number(revision) },
      signal: end.signal,
      onEvent: (_, position) => {
        invalidations++;
        if (isFetching) fetchRows().catch(fail);
        else journal.note(position.epoch, String(position.id));
      },
      onState: (state) => {
        isOpen ||= state === 'open';
      },
    }).catch(fail);
    const stop = lifetime.add(async () => {
      end.abort();
      await running;
      await reader.close();
    });
    await until(() => isOpen, patience_ms, 'the stream');
    return {
      journal,
      fetched_ms,
      counts: () => ({ invalidations, fetches: fetched_ms.length, not_modified: 0 }),
      problem: () => problem,
      stop,
    };
  };
}
