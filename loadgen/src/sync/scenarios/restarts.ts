/**
 * Servers that are killed, and started again as themselves or as the other server, on the same file and port.
 *
 * Invariants: the client gets no hint of the restart. After each start it reaches the last state, or the run fails. No
 * applied state is older than the previous one.
 */

import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { nowMs } from '../../observe/clock.ts';
import { Host, withHost } from '../../run/host.ts';
import { overFaultyTransport } from '../faulty-transport.ts';
import { SWAPPED } from '../goals.ts';
import type { Sample } from '../result.ts';
import { followOptions, repeated, type Scenario, type ScenarioContext, twinOf } from '../scenario.ts';
import { shippedClient } from '../strategies.ts';

const POSTED_BEFORE = 20;
const CONCURRENCY = 4;

/** The time from a kill, and from the start after it, until the client is in sync. */
export const restart: Scenario = async (server, context) => {
  await restarts(server, server, context);
  const twin = twinOf(server, context);
  if (twin !== null) await restarts(server, twin, context);
};

/** Kills `former`, and starts `server` on the same file and port. */
async function restarts(server: TargetName, former: TargetName, context: ScenarioContext): Promise<void> {
  await withFollower(former, context, async (host, postAndReach, checked) => {
    const samples = await repeated(context.sizes.restarts, async (): Promise<Sample> => {
      if (host.name !== former) await restartAs(former, host);
      await postAndReach(POSTED_BEFORE, 1);
      const killed_ms = nowMs();
      await restartAs(server, host);
      const ready_ms = nowMs();
      const last_ms = await postAndReach(1, 1);
      return { outage_ms: last_ms - killed_ms, recovery_ms: Math.max(0, last_ms - ready_ms) };
    });
    const { applies: _, ...found } = checked();
    const how = former === server ? 'killed and started again' : SWAPPED;
    context.add({ how }, [...samples, found]);
  });
}

/** Many applies over a faulty transport in memory, and some over servers that are killed and swapped. */
export const monotony: Scenario = async (server, context) => {
  const { seed, sizes } = context;
  const found = await overFaultyTransport(seed + (server === 'rs' ? 0 : 1), sizes.monotony_checked);
  context.add({ how: 'in memory' }, [found]);
  await lives(server, twinOf(server, context), context);
};

/** Kills the server after each round of posts. In every third round the other server takes its place. */
async function lives(server: TargetName, twin: TargetName | null, context: ScenarioContext): Promise<void> {
  const { monotony_lives, monotony_posts } = context.sizes;
  await withFollower(server, context, async (host, postAndReach, checked) => {
    let swaps = 0;
    for (let life = 0; life < monotony_lives; life++) {
      const name = life % 3 === 2 && twin !== null ? twin : server;
      if (name !== host.name) swaps++;
      if (life > 0) await restartAs(name, host);
      await postAndReach(monotony_posts, CONCURRENCY);
    }
    context.add({ how: 'killed server', kills: monotony_lives - 1, swaps }, [checked()]);
  });
}

async function restartAs(name: TargetName, host: Host): Promise<void> {
  await host.kill();
  await host.startAgain(name);
}

/**
 * Runs `use` with a server and a client that follows it. `postAndReach` posts events and returns when the client
 * applied the last one. `checked` returns the number of applied states and received invalidations so far.
 */
async function withFollower(
  server: TargetName,
  context: ScenarioContext,
  use: (
    host: Host,
    postAndReach: (events: number, concurrency: number) => Promise<number>,
    checked: () => Readonly<Record<'violations' | 'applies' | 'checked', number>>,
  ) => Promise<void>,
): Promise<void> {
  await withHost(Host.start(server, context.launch), async (host) => {
    const following = await shippedClient()(followOptions(host, context));
    const { journal, counts } = following;
    const postAndReach = async (events: number, concurrency: number) => {
      journal.clear();
      const { revision } = await context.poster.burst(host, events, concurrency);
      return journal.reached(BigInt(revision), context.sizes.patience_ms);
    };
    const checked = () => {
      const { violations, applies } = journal;
      return { violations, applies, checked: counts.invalidations + applies };
    };
    await use(host, postAndReach, checked);
    journal.check();
    await following.stop();
  });
}
