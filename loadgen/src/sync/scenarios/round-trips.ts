/**
 * The latency of one change at a client that is in sync: post, invalidation, snapshot, apply.
 *
 * A round trip begins before the post is written and ends when a state that contains the event is applied. The process
 * of the follower posts, like a page that shows what it sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { median } from '../../analyse/statistics.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Host, withHost } from '../../run/host.ts';
import { agree } from '../../run/warm-up.ts';
import { BACK_TO_BACK } from '../goals.ts';
import { Connection, eventText, postBySender, postBySocket, SMALL } from '../posting.ts';
import type { Parameters, Sample } from '../result.ts';
import { followOptions, repeated, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type Following, shippedClient } from '../strategies.ts';

/** Largest number of warm-up parts. Each has as many round trips as the measurement. */
const MOST_PARTS = 5;

/** Longer than the client's own throttle. The scenario `bursts` measures the effect of the throttle. */
const REST_MS = 20;

const unthrottled = shippedClient({ throttle_ms: 0 });

export const roundTrip: Scenario = async (server, context) => {
  const { sizes, launch, strategies } = context;
  const { round_trips: many, paced_round_trips: few } = sizes;
  await withHost(Host.start(server, launch), async (host) => {
    for (const [pace, follow, count, more] of [
      [BACK_TO_BACK, unthrottled, many, {}],
      [`${BACK_TO_BACK}, posted by Sender`, unthrottled, many, { post: postBySender }],
      [`throttle 16 ms, ${REST_MS} ms apart`, strategies.sync, few, { rest_ms: REST_MS }],
    ] as const) {
      const following = await follow(followOptions(host, context));
      const take = () => roundTrips(host, following, context, { count, ...more });
      await addOnceSteady(context, { pace, events: count }, take);
      await following.stop();
    }
    // A round trip is three exchanges. The smallest exchange shows how much of their time is the machine's.
    const connection = new Connection(host.url);
    const exchange = async () => {
      const from_ms = nowMs();
      const { status } = await connection.get('/livez');
      const took_ms = nowMs() - from_ms;
      if (status !== 200) throw new BenchFailure('server_failed', `GET /livez answered ${status}`);
      return took_ms;
    };
    const smallest = { pace: 'GET /livez alone, back to back', exchanges: many };
    await addOnceSteady(context, smallest, () => repeated(many, exchange));
    connection.close();
  });
};

const METADATA_BYTES = [50, 10_000, 100_000];

/** More than the largest event. The server would truncate its metadata otherwise. */
const FLAGS = ['--max-metadata-bytes', '262144'];

const WARM_UP = 20;

/** Round trips by size of the event, which is posted and fetched back by its follower. */
export const payloads: Scenario = async (server, context) => {
  const { payload_round_trips: events } = context.sizes;
  for (const metadata_bytes of METADATA_BYTES) {
    await withHost(Host.start(server, context.launch, { flags: FLAGS }), async (host) => {
      const following = await unthrottled(followOptions(host, context));
      await roundTrips(host, following, context, { count: WARM_UP, metadata_bytes });
      const taken = await roundTrips(host, following, context, { count: events, metadata_bytes });
      await following.stop();
      context.add({ metadata_bytes, events }, [], latencyFrom(taken));
    });
  }
};

interface Trips {
  readonly count: number;
  readonly metadata_bytes?: number;
  /** Milliseconds between an apply and the next post, so that no throttle is active. */
  readonly rest_ms?: number;
  /** Opens the connection that posts. */
  readonly post?: typeof postBySocket;
}

/** Returns the duration of each round trip, in milliseconds. */
async function roundTrips(
  host: Host,
  following: Following,
  { seed, sizes }: ScenarioContext,
  { count, metadata_bytes = SMALL.metadata_bytes, rest_ms = 0, post = postBySocket }: Trips,
): Promise<number[]> {
  const { journal } = following;
  const posting = post(host.url);
  const trip = async () => {
    const send = posting.ready(eventText({ ...SMALL, seed, metadata_bytes }, host.take(1)));
    if (rest_ms > 0) await sleep(rest_ms);
    journal.clear();
    const from_ms = nowMs();
    const revision = await send();
    return (await journal.reached(revision, sizes.patience_ms)) - from_ms;
  };
  try {
    const taken = await repeated(count, trip);
    journal.check();
    return taken;
  } finally {
    posting.close();
  }
}

/**
 * Repeats the round trips until the medians of two parts in a row agree, then measures. V8 compiles code on both sides
 * during thousands of them. The median of every warm-up part is kept.
 */
async function addOnceSteady(
  context: ScenarioContext,
  parameters: Parameters,
  takeAll: () => Promise<number[]>,
): Promise<void> {
  const parts: Sample[] = [];
  let before: number | null = null;
  while (parts.length < MOST_PARTS) {
    const now = median(await takeAll());
    parts.push({ warm_up_p50_ms: now });
    if (before !== null && now !== null && agree(before, now)) break;
    before = now;
  }
  context.add(parameters, parts, latencyFrom(await takeAll()));
}

/** Returns the latency of durations in milliseconds; `null` if there are none. */
function latencyFrom(durations_ms: readonly number[]) {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
