/** How long one change takes to a client that is in sync: post, invalidation, snapshot, apply. */

import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';
import { median } from '../../analyse/statistics.ts';
import type { Latency } from '../../load/drivers/driver.ts';
import { Host } from '../../run/host.ts';
import { agree } from '../../run/warm-up.ts';
import { SMALL } from '../bodies.ts';
import { FigureValues } from '../figure.ts';
import { BACK_TO_BACK } from '../goals.ts';
import { postBySender, postBySocket } from '../posting.ts';
import { roundTrips } from '../round-trips.ts';
import { followOptions, type Scenario, withHost } from '../scenario.ts';
import { smallestExchanges } from '../smallest-exchange.ts';
import { shippedClient, UNTHROTTLED } from '../strategies/client.ts';

/** Parts of a warm-up at most, each as many as are measured. */
const MOST_PARTS = 5;

const SMALLEST = 'GET /livez alone, back to back';

/** Longer than the client's own throttle, whose effect on bursts is a scenario of its own. */
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
      // A round trip is three exchanges: what the smallest takes is the machine's, whatever the server does behind it.
      const exchanges = sizes.round_trips;
      const smallest = await onceSteady(() => smallestExchanges(host.url, exchanges));
      context.add({ parameters: { pace: SMALLEST, exchanges }, ...smallest });
    });
  },
};

/**
 * Takes them before any count, until the medians of two parts in a row agree: V8 compiles behind thousands of them, on
 * both sides. Every part's median is kept.
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

/** Of durations in milliseconds; `null` of none. */
export function latencyFrom(durations_ms: readonly number[]): Latency | null {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
