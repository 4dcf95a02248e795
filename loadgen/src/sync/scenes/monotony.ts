/**
 * Whether what is applied ever goes back: a hundred thousand applies and invalidations, most of them over a transport
 * in memory that fails in every way, some over a server that is killed again and again.
 *
 * What must stay true: after the last fault every follower reaches the last state, or the run fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Sync, type SyncOptions, type Topic } from '../../../../client-ts/src/index.ts';
import type { TargetName } from '../../../../parity-tests/src/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { createRandom, type Random, randomBelow } from '../../random.ts';
import { FaultyServer } from '../faulty-server.ts';
import { FigureValues } from '../figure.ts';
import { Host } from '../host.ts';
import { Journal } from '../journal.ts';
import { checkFollowing } from '../round-trips.ts';
import { followOptions, type Scene, type SceneContext, withHost } from '../scene.ts';
import { inStep } from '../strategies/in-step.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** Between two changes in memory, at most. */
const POST_EVERY_MS = 6;

/** After the last fault: more than every wait between attempts together. */
const SETTLING_STEPS = 10_000;

const LATE_MS = 30;
/** After a connection was lost; whoever stops meanwhile does not hear of it. */
const RECONNECTED_MS = 100;
const POSTS_A_LIFE = 500;
const CONCURRENCY = 4;

export const monotonyScene: Scene = {
  name: 'monotony',
  async measure(server, context) {
    const { seed, sizes } = context;
    const inMemory = await overFaultyTransport(seed + (server === 'rs' ? 0 : 1), sizes.monotony_checked);
    for (const [how, found] of [
      ['in memory', inMemory],
      ['killed server', await overKilledServer(server, context)],
    ] as const) {
      const values = new FigureValues();
      values.add(found);
      context.add({ parameters: { how }, figures: values.all(), latency: null });
    }
  },
};

/** What is kept in step: the shipped `Sync`, or, in tests, one that is wrong on purpose. */
export type Keep = (options: SyncOptions<null>) => { start(): Promise<void>; stop(): void };

/** Until so many applies and invalidations were checked, then until it is in step again. */
export async function overFaultyTransport(
  seed: number,
  enough: number,
  keep: Keep = (options) => new Sync(options),
): Promise<{ checked: number; violations: number; applies: number }> {
  const clock = new VirtualClock();
  const random = createRandom(seed);
  const server = new FaultyServer(clock, seed);
  const journal = new Journal();
  const { subscribe, fetch } = server;
  const sync = keep({
    topic: 'events',
    subscribe,
    fetch,
    apply: ({ epoch, revision }) => journal.note(epoch, revision),
    clock,
    random,
  });
  sync.start().catch(() => undefined);
  const checked = () => journal.applies + server.told;
  while (checked() < enough) {
    server.post();
    await clock.advance(randomBelow(random, POST_EVERY_MS));
    // The journal's list of what was applied is not looked at here.
    journal.clear();
  }
  server.tell();
  for (let i = 0; i < SETTLING_STEPS && !isInStep(journal, server); i++) await clock.advance(POST_EVERY_MS);
  const isThere = isInStep(journal, server);
  sync.stop();
  const { epoch, revision } = server.known;
  const end = `epoch ${journal.epoch} at ${journal.newest}, not ${epoch} at ${revision}`;
  if (!isThere) throw new BenchFailure('out_of_step', `after the last fault the client has ${end}`);
  journal.check('the client, over a transport that fails,');
  return { checked: checked(), violations: journal.violations, applies: journal.applies };
}

function isInStep(journal: Journal, { known }: FaultyServer): boolean {
  return journal.epoch === known.epoch && journal.newest === BigInt(known.revision);
}

/** The server is killed after every five hundred posts. */
async function overKilledServer(server: TargetName, context: SceneContext) {
  const { launch, sizes, poster, seed } = context;
  return withHost(Host.start(server, launch), async (host) => {
    const faults = new Faults(createRandom(seed));
    const follow = inStep(undefined, (topic) => faults.between(topic));
    const following = await follow(followOptions(host, context));
    const { journal } = following;
    for (let posted = 0; posted < sizes.monotony_posts; posted += POSTS_A_LIFE) {
      if (posted > 0) {
        await host.kill();
        await host.startAgain();
      }
      journal.clear();
      const { revision } = await poster.burst(
        host,
        Math.min(POSTS_A_LIFE, sizes.monotony_posts - posted),
        CONCURRENCY,
      );
      await journal.reached(BigInt(revision), sizes.patience_ms, 'the client');
    }
    checkFollowing(following);
    const found = { checked: following.checked(), violations: journal.violations, applies: journal.applies };
    await following.stop();
    return found;
  });
}

/** Stands between a server and its client: drops, doubles and delays what is told, and delays what is fetched. */
class Faults {
  readonly #random: Random;
  #dropped: (() => void) | null = null;
  #hasBegun = false;

  constructor(random: Random) {
    this.#random = random;
  }

  between(topic: Topic<unknown>): Topic<unknown> {
    return {
      topic: topic.topic,
      subscribe: (hear, signal) => topic.subscribe((heard) => this.#tell(() => hear(heard)), signal),
      fetch: async (known, signal) => {
        const snapshot = await topic.fetch(known, signal);
        if (randomBelow(this.#random, 4) === 0) await sleep(randomBelow(this.#random, LATE_MS));
        return snapshot;
      },
    };
  }

  #tell(tell: () => void): void {
    // The first says that it is connected, for which the scene waits.
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      tell();
      return;
    }
    this.#dropped = null;
    switch (randomBelow(this.#random, 5)) {
      case 0:
        this.#drop(tell);
        return;
      case 1:
        setTimeout(tell, randomBelow(this.#random, LATE_MS));
        return;
      case 2:
        tell();
        tell();
        return;
      default:
        tell();
    }
  }

  /** What is dropped is the last for as long only as it takes to connect again, which tells of what holds then. */
  #drop(tell: () => void): void {
    this.#dropped = tell;
    setTimeout(() => {
      if (this.#dropped === tell) tell();
    }, RECONNECTED_MS);
  }
}
