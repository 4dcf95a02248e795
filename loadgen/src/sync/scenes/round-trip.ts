/** How long one change takes to a client that is in step: post, invalidation, snapshot, apply. */
import type { Latency } from '../../drivers/driver.ts';
import { createHistogram, latencyOf, record } from '../../histogram.ts';
import { SMALL } from '../bodies.ts';
import { Host } from '../host.ts';
import { postBySender, postBySocket } from '../posting.ts';
import { roundTrips } from '../round-trips.ts';
import { followOptions, type Scene, withHost } from '../scene.ts';
import { inStep, UNTHROTTLED } from '../strategies/in-step.ts';
import { BACK_TO_BACK } from '../target.ts';

/** Before anything counts, so that neither side is cold: V8 still compiles behind the first thousand trips. */
const WARM_UP_OF = 3;

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
        await roundTrips(host, following, { ...trips, count: Math.ceil(count / WARM_UP_OF) });
        const taken = await roundTrips(host, following, { ...trips, count });
        await following.stop();
        context.add({ parameters: { pace, events: count }, figures: {}, latency: latencyFrom(taken) });
      }
    });
  },
};

/** Of durations in milliseconds; `null` of none. */
export function latencyFrom(durations_ms: readonly number[]): Latency | null {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
