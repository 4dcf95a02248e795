/**
 * Clients of one kind during a load: those that receive every event of the stream, and one that reads a thousand bytes
 * a second.
 *
 * Invariants: no client is dropped, and each receives the last state.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { createProbe } from '../../observe/probe.ts';
import { checkStream, startStreamClients } from '../../observe/stream/clients.ts';
import { Host, withHost } from '../../run/host.ts';
import { SMALL, sessionOf } from '../bodies.ts';
import { FigureValues } from '../figure.ts';
import { InvalidationClient, unreadBetween } from '../invalidation-client.ts';
import { load, measuredLoad } from '../load.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { until } from '../strategies/strategy.ts';

/** Followers that receive every event of the stream during a load, and their delivery lag. */
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

/** Number of session topics. With the three other topics it is the largest number that one client may subscribe to. */
const SESSIONS = 13;
const SHAPE = { ...SMALL, sessions: SESSIONS };
const TOPICS = ['events', 'stats', 'sessions', ...sessionTopics()].join();
const PATH = `/api/stream?mode=invalidate&topics=${TOPICS}`;

/**
 * The memory that the server holds for a slow client. It subscribes to as many topics as possible without an interval,
 * and every batch changes all of them. A client that reads everything from another fresh server is the reference.
 */
export const slowClientScenario: Scenario = {
  name: 'slow_client',
  async measure(server, context) {
    for (const reads of ['1 KB/s', 'everything'] as const) {
      const values = new FigureValues();
      for (let i = 0; i < context.sizes.stream_rounds; i++)
        values.add(await round(server, reads === '1 KB/s', context));
      context.add({ parameters: { reads, topics: SESSIONS + 3 }, figures: values.all(), latency: null });
    }
  },
};

async function round(server: TargetName, isSlow: boolean, context: ScenarioContext) {
  const { launch, sizes } = context;
  return withHost(Host.start(server, launch), async (host) => {
    // This load creates the sessions and warms up the server.
    await load(host, context, sizes.load_warm_up_s, SHAPE);
    const probe = createProbe();
    const before = await probe(host.pid);
    const reader = new InvalidationClient(host.url, PATH, isSlow ? 'slow' : 'reads');
    try {
      await until(() => reader.bytes > 0, sizes.patience_ms, 'the first byte');
      const { posted, figures } = await measuredLoad(host, context, SHAPE);
      const after = await probe(host.pid);
      const held_kernel_bytes = await unreadBetween(host.port, reader.port);
      reader.letGo();
      const newest = Number(posted.revision);
      const isThere = () => reader.newest >= newest || reader.ended !== null;
      await until(isThere, sizes.patience_ms, 'the last state of a slow client');
      if (reader.ended !== null)
        throw new BenchFailure('out_of_sync', `${server} dropped a slow client: ${reader.ended}`);
      const known = before.rss_bytes !== null && after.rss_bytes !== null;
      return {
        ...figures,
        rss_bytes: after.rss_bytes,
        held_rss_bytes: known ? Math.max(0, after.rss_bytes! - before.rss_bytes!) : null,
        held_kernel_bytes,
      };
    } finally {
      reader.close();
    }
  });
}

function sessionTopics(): string[] {
  return Array.from({ length: SESSIONS }, (_, i) => `session:${sessionOf(i)}`);
}
