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
import { InvalidationClient, unreadBetween } from '../invalidation-client.ts';
import { load, measuredLoad } from '../poster.ts';
import { SMALL, sessionOf } from '../posting.ts';
import { type Sample, stalenessOf } from '../result.ts';
import { repeated, type Scenario, type ScenarioContext } from '../scenario.ts';
import { until } from '../strategies.ts';

/** Followers that receive every event of the stream during a load, and their delivery lag. */
export const fullStream: Scenario = async (server, context) => {
  const { full_stream_clients: clients, stream_rounds } = context.sizes;
  context.add({ clients }, await repeated(stream_rounds, () => fullStreamRound(server, context)));
};

async function fullStreamRound(server: TargetName, context: ScenarioContext): Promise<Sample> {
  const { launch, sizes } = context;
  const clients = sizes.full_stream_clients;
  const host = await Host.start(server, launch);
  const crowd = startStreamClients({ url: host.url, clients, ...launch });
  await crowd.ready();
  await load(host, context, sizes.load_warm_up_s);
  await crowd.mark();
  const { posted, figures } = await measuredLoad(host, context);
  await crowd.until(Number(posted.revision), sizes.patience_ms);
  await host.stop();
  const sample = await crowd.finish(host.database);
  checkStream(sample, server, Number(posted.revision), crowd.problems());
  await host.discard();
  return {
    ...figures,
    notified: sample.frames,
    clients_cpu_share: sample.clients_cpu_us / 1000 / (posted.ended_ms - posted.started_ms),
    ...stalenessOf(sample.lag),
  };
}

/** Number of session topics. With the three other topics it is the largest number that one client may subscribe to. */
const SESSIONS = 13;
const SHAPE = { ...SMALL, sessions: SESSIONS };
const SESSION_TOPICS = Array.from({ length: SESSIONS }, (_, i) => `session:${sessionOf(i)}`);
const TOPICS = ['events', 'stats', 'sessions', ...SESSION_TOPICS];
const PATH = `/api/stream?mode=invalidate&topics=${TOPICS.join()}`;

/**
 * The memory that the server holds for a slow client. It subscribes to as many topics as possible without an interval,
 * and every batch changes all of them. A client that reads everything from another fresh server is the reference.
 */
export const slowClient: Scenario = async (server, context) => {
  for (const [reads, manner] of [
    ['1 KB/s', 'slow'],
    ['everything', 'reads'],
  ] as const) {
    const round = () => slowClientRound(server, manner, context);
    context.add({ reads, topics: TOPICS.length }, await repeated(context.sizes.stream_rounds, round));
  }
};

async function slowClientRound(server: TargetName, manner: 'slow' | 'reads', context: ScenarioContext) {
  const { launch, sizes } = context;
  return withHost(Host.start(server, launch), async (host): Promise<Sample> => {
    // This load creates the sessions and warms up the server.
    await load(host, context, sizes.load_warm_up_s, SHAPE);
    const probe = createProbe();
    const before = await probe(host.pid);
    const reader = new InvalidationClient(host.url, PATH, manner);
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
      const grown = before.rss_bytes === null ? null : after.rss_bytes! - before.rss_bytes;
      return {
        ...figures,
        rss_bytes: after.rss_bytes,
        held_rss_bytes: grown === null ? null : Math.max(0, grown),
        held_kernel_bytes,
      };
    } finally {
      reader.close();
    }
  });
}
