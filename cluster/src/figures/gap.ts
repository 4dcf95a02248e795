/** Measures how long no event is accepted after the leader of the stream was killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import type { NatsNode } from '@twin-ingest/testkit/nats/node.ts';
import { STREAM } from '../member.ts';
import { eventsOf } from './load.ts';
import { briefly, type Measuring, startBoard } from './measuring.ts';
import { quantile } from './quantile.ts';

const DEATHS = 10;
const CALM_MS = 1_000;
const RETRY_MS = 20;
const LOOK_MS = 50;

/** Kills the leader ten times. One client per server sends single events without a pause. */
export function measureGap(measuring: Measuring): Promise<void> {
  const { program, add } = measuring;
  return briefly(measuring, async (lifetime) => {
    const board = await startBoard(program, ['rs', 'ts'], lifetime);
    const longest = board.members.map(() => 0);
    /** When each server acknowledged an event. */
    const last = board.members.map(() => performance.now());
    const state = { over: false };
    const senders = board.members.map(async ({ port }, index) => {
      const client = new ApiClient(port);
      while (!state.over) {
        const reply = await client.post('/api/events', eventsOf(1)[0]);
        const now = performance.now();
        if (reply.status !== 201) {
          await sleep(RETRY_MS);
          continue;
        }
        longest[index] = Math.max(longest[index]!, now - last[index]!);
        last[index] = now;
      }
      client.close();
    });
    const gaps = board.members.map((): number[] => []);
    const elections: number[] = [];
    for (let death = 0; death < DEATHS; death++) {
      await sleep(CALM_MS);
      longest.fill(0);
      const leader = await board.nats.untilLed(STREAM);
      await leader.kill();
      elections.push(await electionMs(board.nats.nodes.filter((node) => node !== leader)));
      const ledAt = performance.now();
      while (last.some((at) => at < ledAt)) await sleep(LOOK_MS);
      for (const [index, gap] of longest.entries()) gaps[index]!.push(gap);
      await leader.start();
      await sleep(CALM_MS);
    }
    state.over = true;
    await Promise.all(senders);
    const settings = board.members.map(({ target }, index) => [target, gaps[index]!] as const);
    for (const [setting, times] of [...settings, ['until NATS has a leader', elections] as const])
      add({
        what: 'gap at the death of the leader',
        setting,
        deaths: DEATHS,
        median_ms: Math.round(quantile(times, 0.5)),
        worst_ms: Math.round(Math.max(...times)),
      });
  });
}

/** Asks the nodes that are left until one answers for the stream, which only its leader does; returns how long it took. */
async function electionMs(nodes: readonly NatsNode[]): Promise<number> {
  const begun = performance.now();
  const state = { isLed: false };
  for (let asked = 0; !state.isLed; asked++) {
    const { host, port } = nodes[asked % nodes.length]!.place;
    // An answer may never come, so others are asked meanwhile.
    void askNats<{ error?: unknown }>(port, `$JS.API.STREAM.INFO.${STREAM}`, '', { host }).then(
      ({ error }) => {
        state.isLed ||= error === undefined;
      },
      () => {},
    );
    await sleep(LOOK_MS);
  }
  return performance.now() - begun;
}
