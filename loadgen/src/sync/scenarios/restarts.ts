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
import type { Journal } from '../journal.ts';
import type { Sample } from '../result.ts';
import { repeated, type Scenario, type ScenarioContext, withFollower } from '../scenario.ts';
import { shippedClient } from '../strategies.ts';

const POSTED_BEFORE = 20;
const CONCURRENCY = 4;

/**
 * The time from a kill, and from the start after it, until the client is in sync. The killed server is the same one,
 * then the other one.
 */
export const restart: Scenario = async (server, context) => {
  const { targets, sizes, add } = context;
  for (const former of [server, ...targets.filter((name) => name !== server)]) {
    await withClient(former, context, async (host, journal, postAndReach) => {
      const samples = await repeated(sizes.restarts, async (): Promise<Sample> => {
        if (host.name !== former) await restartAs(former, host);
        await postAndReach(POSTED_BEFORE, 1);
        const killed_ms = nowMs();
        await restartAs(server, host);
        const ready_ms = nowMs();
        const last_ms = await postAndReach(1, 1);
        return { outage_ms: last_ms - killed_ms, recovery_ms: Math.max(0, last_ms - ready_ms) };
      });
      const how = former === server ? 'killed and started again' : SWAPPED;
      add({ how }, [...samples, checkedIn(journal)]);
    });
  }
};

/**
 * Many applies over a faulty transport in memory, and some over servers that are killed after each round of posts. In
 * every third round the other server takes the place of the server.
 */
export const monotony: Scenario = async (server, context) => {
  const { seed, sizes, targets, add } = context;
  const { monotony_checked, monotony_lives, monotony_posts } = sizes;
  add({ how: 'in memory' }, [await overFaultyTransport(seed + (server === 'rs' ? 0 : 1), monotony_checked)]);
  const twin = targets.find((name) => name !== server) ?? server;
  await withClient(server, context, async (host, journal, postAndReach) => {
    let swaps = 0;
    for (let life = 0; life < monotony_lives; life++) {
      const name = life % 3 === 2 ? twin : server;
      if (name !== host.name) swaps++;
      if (life > 0) await restartAs(name, host);
      await postAndReach(monotony_posts, CONCURRENCY);
    }
    const { applies } = journal.figures();
    add({ how: 'killed server', kills: monotony_lives - 1, swaps }, [{ applies, ...checkedIn(journal) }]);
  });
};

function checkedIn(journal: Journal): Sample {
  const { violations, invalidations, applies } = journal.figures();
  return { violations, checked: invalidations + applies };
}

async function restartAs(name: TargetName, host: Host): Promise<void> {
  await host.kill();
  await host.startAgain(name);
}

/** Posts events, and returns when the client applied the last one. */
type PostAndReach = (events: number, concurrency: number) => Promise<number>;

/** Runs `use` with a server and a client that follows it. */
async function withClient(
  server: TargetName,
  context: ScenarioContext,
  use: (host: Host, journal: Journal, postAndReach: PostAndReach) => Promise<void>,
): Promise<void> {
  await withHost(Host.start(server, context.launch), (host) =>
    withFollower(shippedClient(), host, context, (journal) =>
      use(host, journal, async (events, concurrency) => {
        const { revision } = await context.poster.burst(host, events, concurrency);
        return journal.reached(revision);
      }),
    ),
  );
}
