/** Measures how fast an empty copy reads the whole stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { cpuSeconds } from './cpu.ts';
import { eventsOf } from './load.ts';
import { briefly, type Measuring, startBoard } from './measuring.ts';

const EVENTS = 100_000;
const BATCH = 500;
const SENDERS = 4;
const LOOK_MS = 10;

/** Fills a stream, then starts an empty server of each runtime, one after the other. */
export function measureCatchUp(measuring: Measuring): Promise<void> {
  const { program, add } = measuring;
  return briefly(measuring, async (lifetime) => {
    const board = await startBoard(program, ['rs'], lifetime);
    const member = board.members[0]!;
    const client = new ApiClient(member.port);
    let left = EVENTS / BATCH;
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const events = eventsOf(BATCH);
        while ((await client.post('/api/events/batch', { events })).status >= 300) await sleep(LOOK_MS);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    client.close();
    for (const target of TARGET_NAMES) {
      await member.stop();
      member.empty();
      const begun = performance.now();
      await member.start(target);
      const own = new ApiClient(member.port);
      const rows = async (): Promise<number> =>
        (await own.get('/api/stats')).json<{ total_events: number }>().total_events;
      while ((await rows()) < EVENTS) await sleep(LOOK_MS);
      const seconds = (performance.now() - begun) / 1000;
      own.close();
      add({
        what: 'catch-up of an empty copy, with its start',
        setting: target,
        events: EVENTS,
        events_per_s: Math.round(EVENTS / seconds),
        server_cpu_us: Math.round((cpuSeconds([member.pid]) * 1e6) / EVENTS),
      });
    }
  });
}
