/** Round trips by size of the event, which is posted and fetched back by its follower. */

import { Host, withHost } from '../../run/host.ts';
import { SMALL } from '../bodies.ts';
import { roundTrips } from '../round-trips.ts';
import { followOptions, type Scenario } from '../scenario.ts';
import { shippedClient, UNTHROTTLED } from '../strategies/client.ts';
import { latencyFrom } from './round-trip.ts';

const METADATA_BYTES = [50, 10_000, 100_000];

/** More than the largest event. The server would truncate its metadata otherwise. */
const FLAGS = ['--max-metadata-bytes', '262144'];

const WARM_UP = 20;

export const payloadScenario: Scenario = {
  name: 'payloads',
  async measure(server, context) {
    const { sizes, seed, launch } = context;
    for (const metadata_bytes of METADATA_BYTES) {
      await withHost(Host.start(server, launch, { flags: FLAGS }), async (host) => {
        const following = await shippedClient(UNTHROTTLED)(followOptions(host, context));
        const trips = {
          shape: { ...SMALL, seed, metadata_bytes },
          rest_ms: 0,
          patience_ms: sizes.patience_ms,
        };
        await roundTrips(host, following, { ...trips, count: WARM_UP });
        const taken = await roundTrips(host, following, { ...trips, count: sizes.payload_round_trips });
        await following.stop();
        const parameters = { metadata_bytes, events: taken.length };
        context.add({ parameters, figures: {}, latency: latencyFrom(taken) });
      });
    }
  },
};
