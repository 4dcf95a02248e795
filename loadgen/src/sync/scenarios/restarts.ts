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
import { FigureValues } from '../figure.ts';
import { SWAPPED } from '../goals.ts';
import { followOptions, type Scenario, type ScenarioContext, twinOf } from '../scenario.ts';
import { shippedClient } from '../strategies/client.ts';
import { checkFollowing, type Following } from '../strategies/strategy.ts';

const POSTED_BEFORE = 20;
const CONCURRENCY = 4;

/** The time from a kill, and from the start after it, until the client is in sync. */
export const restartScenario: Scenario = {
  name: 'restart',
  async measure(server, context) {
    await restarts(server, server, context);
    const twin = await twinOf(server, context);
    if (twin !== null) await restarts(server, twin, context);
  },
};

/** Kills `former`, and starts `server` on the same file and port. */
async function restarts(server: TargetName, former: TargetName, context: ScenarioContext): Promise<void> {
  const { sizes } = context;
  await withFollower(former, context, async (host, following, postAndReach) => {
    const values = new FigureValues();
    for (let i = 0; i < sizes.restarts; i++) {
      if (host.name !== former) await restartAs(former, host);
      await postAndReach(POSTED_BEFORE, 1);
      const killed_ms = nowMs();
      await restartAs(server, host);
      const ready_ms = nowMs();
      const last_ms = await postAndReach(1, 1);
      values.add({ outage_ms: last_ms - killed_ms, recovery_ms: Math.max(0, last_ms - ready_ms) });
    }
    const { violations } = following.journal;
    values.add({ violations, checked: checkedBy(following) });
    const how = former === server ? 'killed and started again' : SWAPPED;
    context.add({ parameters: { how }, figures: values.all(), latency: null });
  });
}

/** Many applies over a faulty transport in memory, and some over servers that are killed and swapped. */
export const monotonyScenario: Scenario = {
  name: 'monotony',
  async measure(server, context) {
    const { seed, sizes } = context;
    const values = new FigureValues();
    values.add(await overFaultyTransport(seed + (server === 'rs' ? 0 : 1), sizes.monotony_checked));
    context.add({ parameters: { how: 'in memory' }, figures: values.all(), latency: null });
    await lives(server, await twinOf(server, context), context);
  },
};

/** Kills the server after each round of posts. In every third round the other server takes its place. */
async function lives(server: TargetName, twin: TargetName | null, context: ScenarioContext): Promise<void> {
  const { monotony_lives, monotony_posts } = context.sizes;
  await withFollower(server, context, async (host, following, postAndReach) => {
    let swaps = 0;
    for (let life = 0; life < monotony_lives; life++) {
      const name = life % 3 === 2 && twin !== null ? twin : server;
      if (name !== host.name) swaps++;
      if (life > 0) await restartAs(name, host);
      await postAndReach(monotony_posts, CONCURRENCY);
    }
    const { violations, applies } = following.journal;
    const values = new FigureValues();
    values.add({ violations, applies, checked: checkedBy(following) });
    const parameters = { how: 'killed server', kills: monotony_lives - 1, swaps };
    context.add({ parameters, figures: values.all(), latency: null });
  });
}

async function restartAs(name: TargetName, host: Host): Promise<void> {
  await host.kill();
  await host.startAgain(name);
}

type PostAndReach = (events: number, concurrency: number) => Promise<number>;

/**
 * Runs `use` with a server and a client that follows it. `postAndReach` posts events and returns when the client
 * applied the last one.
 */
async function withFollower(
  server: TargetName,
  context: ScenarioContext,
  use: (host: Host, following: Following, postAndReach: PostAndReach) => Promise<void>,
): Promise<void> {
  await withHost(Host.start(server, context.launch), async (host) => {
    const following = await shippedClient()(followOptions(host, context));
    const { journal } = following;
    await use(host, following, async (events, concurrency) => {
      journal.clear();
      const { revision } = await context.poster.burst(host, events, concurrency);
      return journal.reached(BigInt(revision), context.sizes.patience_ms);
    });
    checkFollowing(following);
    await following.stop();
  });
}

/** Returns the number of applied states and received invalidations. */
function checkedBy({ journal, counts }: Following): number {
  return counts().invalidations + journal.applies;
}
