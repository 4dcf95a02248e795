/** How long one change takes to a client that is in step: post, invalidation, snapshot, apply. */
import type { Latency } from '../../drivers/driver.ts';
import { createHistogram, latencyOf, record } from '../../histogram.ts';
import { median } from '../../statistics.ts';
import { agree } from '../../warm-up.ts';
import { SMALL } from '../bodies.ts';
import { FigureValues } from '../figure.ts';
import { Host } from '../host.ts';
import { postBySender, postBySocket } from '../posting.ts';
import { roundTrips, type Trips } from '../round-trips.ts';
import { followOptions, type Scene, withHost } from '../scene.ts';
import { inStep, UNTHROTTLED } from '../strategies/in-step.ts';
import type { Following } from '../strategies/strategy.ts';
import { BACK_TO_BACK } from '../target.ts';

/** Parts of a warm-up at most, each as many trips as are measured. */
const MOST_PARTS = 5;

/** Longer than the client's own throttle, whose effect on bursts is a scene of its own. */
const REST_MS = 20;

export const roundTripScene: Scene = {
  name: 'round_trip',
  async measure(server, context) {
    const { sizes, seed, launch, strategies } = context;
    const shape = { ...SMALL, seed };
    const { patience_ms } = sizes;
    await withHost(Host.start(server, launch), async (host) => {
      const options = followOptions(host, context);
      for (const [pace, follow, post, count, rest_ms] of [
        [BACK_TO_BACK, inStep(UNTHROTTLED), postBySocket, sizes.round_trips, 0],
        [`${BACK_TO_BACK}, posted by Sender`, inStep(UNTHROTTLED), postBySender, sizes.round_trips, 0],
        [
          `throttle 16 ms, ${REST_MS} ms apart`,
          strategies.sync,
          postBySocket,
          sizes.paced_round_trips,
          REST_MS,
        ],
      ] as const) {
        const following = await follow(options);
        const trips = { shape, rest_ms, patience_ms, post };
        const values = new FigureValues();
        await warmUp(host, following, { ...trips, count }, values);
        const taken = await roundTrips(host, following, { ...trips, count });
        await following.stop();
        const parameters = { pace, events: count };
        context.add({ parameters, figures: values.all(), latency: latencyFrom(taken) });
      }
    });
  },
};

/**
 * Trips before any counts, until the medians of two parts in a row agree: V8 compiles behind thousands of them, on both
 * sides. Every part's median is kept.
 */
async function warmUp(host: Host, following: Following, trips: Trips, values: FigureValues): Promise<void> {
  let before: number | null = null;
  for (let part = 0; part < MOST_PARTS; part++) {
    const now = median(await roundTrips(host, following, trips));
    values.add({ warm_up_p50_ms: now });
    if (before !== null && now !== null && agree(before, now)) return;
    before = now;
  }
}

/** Of durations in milliseconds; `null` of none. */
export function latencyFrom(durations_ms: readonly number[]): Latency | null {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
