/** The latency of one change at a client that is in sync: post, invalidation, snapshot, apply. */

import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { median } from '../../analyse/statistics.ts';
import type { Latency } from '../../load/drivers/driver.ts';
import { Host, withHost } from '../../run/host.ts';
import { agree } from '../../run/warm-up.ts';
import { SMALL } from '../bodies.ts';
import { FigureValues } from '../figure.ts';
import { BACK_TO_BACK } from '../goals.ts';
import { postBySender, postBySocket } from '../posting.ts';
import { roundTrips, smallestExchanges } from '../round-trips.ts';
import { followOptions, type Scenario } from '../scenario.ts';
import { shippedClient, UNTHROTTLED } from '../strategies/client.ts';

/** Largest number of warm-up parts. Each has as many round trips as the measurement. */
const MOST_PARTS = 5;

const SMALLEST = 'GET /livez alone, back to back';

/** Longer than the client's own throttle. The scenario `bursts` measures the effect of the throttle. */
const REST_MS = 20;

export const roundTripScenario: Scenario = {
  name: 'round_trip',
  async measure(server, context) {
    const { sizes, seed, launch, strategies } = context;
    const shape = { ...SMALL, seed };
    const { patience_ms } = sizes;
    await withHost(Host.start(server, launch), async (host) => {
      const options = followOptions(host, context);
      for (const [pace, follow, post, count, rest_ms] of [
        [BACK_TO_BACK, shippedClient(UNTHROTTLED), postBySocket, sizes.round_trips, 0],
        [`${BACK_TO_BACK}, posted by Sender`, shippedClient(UNTHROTTLED), postBySender, sizes.round_trips, 0],
        [
          `throttle 16 ms, ${REST_MS} ms apart`,
          strategies.sync,
          postBySocket,
          sizes.paced_round_trips,
          REST_MS,
        ],
      ] as const) {
        const following = await follow(options);
        const trips = { shape, rest_ms, patience_ms, post, count };
        const { figures, latency } = await onceSteady(() => roundTrips(host, following, trips));
        await following.stop();
        context.add({ parameters: { pace, events: count }, figures, latency });
      }
      // A round trip is three exchanges. The smallest exchange shows how much of their time is the machine's.
      const exchanges = sizes.round_trips;
      const smallest = await onceSteady(() => smallestExchanges(host.url, exchanges));
      context.add({ parameters: { pace: SMALLEST, exchanges }, ...smallest });
    });
  },
};

/**
 * Repeats the round trips until the medians of two parts in a row agree, then measures. V8 compiles code on both sides
 * during thousands of them. The median of every warm-up part is kept.
 */
async function onceSteady(takeAll: () => Promise<number[]>) {
  const values = new FigureValues();
  let before: number | null = null;
  for (let part = 0; part < MOST_PARTS; part++) {
    const now = median(await takeAll());
    values.add({ warm_up_p50_ms: now });
    if (before !== null && now !== null && agree(before, now)) break;
    before = now;
  }
  return { latency: latencyFrom(await takeAll()), figures: values.all() };
}

/** Returns the latency of durations in milliseconds; `null` if there are none. */
export function latencyFrom(durations_ms: readonly number[]): Latency | null {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
