/** Followers that receive every event of the stream during a load, and their delivery lag. */

import { checkStream, startStreamClients } from '../../observe/stream/clients.ts';
import { Host } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import { load, measuredLoad } from '../load.ts';
import type { Scenario } from '../scenario.ts';

export const fullStreamScenario: Scenario = {
  name: 'full_stream',
  async measure(server, context) {
    const { launch, sizes } = context;
    const clients = sizes.full_stream_clients;
    const values = new FigureValues();
    for (let i = 0; i < sizes.stream_rounds; i++) {
      const host = await Host.start(server, launch);
      const { placement, lifetime } = launch;
      const crowd = startStreamClients({ url: host.url, clients, lifetime, placement });
      await crowd.ready();
      await load(host, context, sizes.load_warm_up_s);
      await crowd.mark();
      const { posted, figures } = await measuredLoad(host, context);
      await crowd.until(Number(posted.revision), sizes.patience_ms);
      await host.stop();
      const sample = await crowd.finish(host.database);
      checkStream(sample, server, Number(posted.revision), crowd.problems());
      await host.discard();
      values.add({
        ...figures,
        notified: sample.frames,
        clients_cpu_share: sample.clients_cpu_us / 1000 / (posted.ended_ms - posted.started_ms),
        staleness_p50_ms: sample.lag?.p50_ms ?? null,
        staleness_p99_ms: sample.lag?.p99_ms ?? null,
        staleness_max_ms: sample.lag?.max_ms ?? null,
      });
    }
    context.add({ parameters: { clients }, figures: values.all(), latency: null });
  },
};
