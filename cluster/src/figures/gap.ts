/** Measures how long no event is accepted after the leader of the stream was killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { STREAM } from '../member.ts';
import { eventsOf } from './load.ts';
import { briefly, type Measuring, startBoard } from './measuring.ts';
import { quantile } from './quantile.ts';

const DEATHS = 10;
const CALM_MS = 1_000;
const RETRY_MS = 20;

/** Kills the leader ten times. One client per server sends single events without a pause. */
export function measureGap(measuring: Measuring): Promise<void> {
  const { program, add } = measuring;
  return briefly(measuring, async (lifetime) => {
    const board = await startBoard(program, ['rs', 'ts'], lifetime);
    const longest = board.members.map(() => 0);
    const state = { over: false };
    const senders = board.members.map(async ({ port }, index) => {
      const client = new ApiClient(port);
      let last = performance.now();
      while (!state.over) {
        const reply = await client.post('/api/events', eventsOf(1)[0]);
        const now = performance.now();
        if (reply.status !== 201) {
          await sleep(RETRY_MS);
          continue;
        }
        longest[index] = Math.max(longest[index]!, now - last);
        last = now;
      }
      client.close();
    });
    const gaps = board.members.map((): number[] => []);
    for (let death = 0; death < DEATHS; death++) {
      await sleep(CALM_MS);
      longest.fill(0);
      const leader = await board.nats.untilLed(STREAM);
      await leader.kill();
      await board.nats.untilLed(STREAM);
      await sleep(2 * CALM_MS);
      for (const [index, gap] of longest.entries()) gaps[index]!.push(gap);
      await leader.start();
      await sleep(CALM_MS);
    }
    state.over = true;
    await Promise.all(senders);
    for (const [index, member] of board.members.entries())
      add({
        what: 'gap at the death of the leader',
        setting: member.target,
        deaths: DEATHS,
        median_ms: Math.round(quantile(gaps[index]!, 0.5)),
        worst_ms: Math.round(Math.max(...gaps[index]!)),
      });
  });
}
