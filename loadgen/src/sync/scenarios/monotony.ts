/**
 * Checks that an applied state is never older than the previous one. Most of a hundred thousand applies and
 * invalidations use a faulty transport in memory. Some use servers that are killed and swapped.
 *
 * Invariant: after the last fault every follower reaches the last state, or the run fails.
 */
import { Sync, type SyncOptions } from '@twin-ingest/client';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { Host, withHost } from '../../run/host.ts';
import { Faults } from '../faults.ts';
import { FaultyServer } from '../faulty-server.ts';
import { FigureValues } from '../figure.ts';
import { Journal } from '../journal.ts';
import type { Parameters } from '../result.ts';
import { followOptions, type Scenario, type ScenarioContext, twinOf } from '../scenario.ts';
import { shippedClient } from '../strategies/client.ts';
import { checkFollowing } from '../strategies/strategy.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** Largest time between two changes in memory, in milliseconds. */
const POST_EVERY_MS = 6;

/** Steps to wait after the last fault. Together they are longer than all waits between attempts. */
const SETTLING_STEPS = 10_000;

const CONCURRENCY = 4;

export const monotonyScenario: Scenario = {
  name: 'monotony',
  async measure(server, context) {
    const { seed, sizes } = context;
    const add = (parameters: Parameters, found: Found) => {
      const values = new FigureValues();
      values.add(found);
      context.add({ parameters, figures: values.all(), latency: null });
    };
    const inMemory = await overFaultyTransport(seed + (server === 'rs' ? 0 : 1), sizes.monotony_checked);
    add({ how: 'in memory' }, inMemory);
    const twin = await twinOf(server, context);
    const { kills, swaps, ...killed } = await overKilledServers(server, twin, context);
    add({ how: 'killed server', kills, swaps }, killed);
  },
};

interface Found {
  readonly checked: number;
  readonly violations: number;
  readonly applies: number;
}

/** Creates the client under test: the shipped `Sync`, or, in tests, a faulty one. */
export type Keep = (options: SyncOptions<null>) => { start(): Promise<void>; stop(): void };

/** Runs until `enough` applies and invalidations were checked. Then waits until the client is in sync again. */
export async function overFaultyTransport(
  seed: number,
  enough: number,
  keep: Keep = (options) => new Sync(options),
): Promise<Found> {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const server = new FaultyServer(clock, seed);
  const journal = new Journal();
  const { subscribe, fetch } = server;
  const sync = keep({
    topic: 'events',
    subscribe,
    fetch,
    apply: ({ epoch, revision }) => journal.note(epoch, revision),
    clock,
    random: random.next,
  });
  sync.start().catch(() => undefined);
  const checked = () => journal.applies + server.notified;
  while (checked() < enough) {
    server.post();
    await clock.advance(random.below(POST_EVERY_MS));
    // The list is not needed here, and would grow without end.
    journal.clear();
  }
  server.notify();
  for (let i = 0; i < SETTLING_STEPS && !isInSync(journal, server); i++) await clock.advance(POST_EVERY_MS);
  const isThere = isInSync(journal, server);
  sync.stop();
  const { epoch, revision } = server.known;
  const end = `epoch ${journal.epoch} at ${journal.newest}, not ${epoch} at ${revision}`;
  if (!isThere) throw new BenchFailure('out_of_sync', `after the last fault the client has ${end}`);
  journal.check('the client, over a transport that fails,');
  return { checked: checked(), violations: journal.violations, applies: journal.applies };
}

function isInSync(journal: Journal, { known }: FaultyServer): boolean {
  return journal.epoch === known.epoch && journal.newest === BigInt(known.revision);
}

/**
 * Kills the server after each round of posts. Starts it again as itself, or in every third round as the other server.
 */
async function overKilledServers(server: TargetName, twin: TargetName | null, context: ScenarioContext) {
  const { launch, sizes, poster, seed } = context;
  return withHost(Host.start(server, launch), async (host) => {
    const faults = new Faults(seededRandom(seed));
    const follow = shippedClient(undefined, (topic) => faults.between(topic));
    const following = await follow(followOptions(host, context));
    const { journal } = following;
    let [kills, swaps] = [0, 0];
    for (let life = 0; life < sizes.monotony_lives; life++) {
      if (life > 0) {
        const name = life % 3 === 2 && twin !== null ? twin : server;
        kills++;
        if (name !== host.name) swaps++;
        await host.kill();
        await host.startAgain(name);
      }
      journal.clear();
      const { revision } = await poster.burst(host, sizes.monotony_posts, CONCURRENCY);
      await journal.reached(BigInt(revision), sizes.patience_ms, 'the client');
    }
    checkFollowing(following);
    const { violations, applies } = journal;
    const found = { kills, swaps, checked: following.checked(), violations, applies };
    await following.stop();
    return found;
  });
}
