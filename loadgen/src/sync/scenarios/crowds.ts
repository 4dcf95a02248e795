/**
 * Followers during a load: how long reading clients wait for a state, and how much they slow down the ingest. Also what
 * the server holds for a slow client.
 *
 * Invariants: a round fails if the server drops a client. It fails if a reading client misses the last state, or receives
 * an older one after a newer one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { decode, latencyOf, merge } from '../../analyse/histogram.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { startStreamClients } from '../../observe/stream/clients.ts';
import { Helper } from '../../run/helper.ts';
import { Host, withHost } from '../../run/host.ts';
import type { CrowdOrder, CrowdReply } from '../crowd-process.ts';
import type { Mode } from '../invalidation-client.ts';
import { until } from '../journal.ts';
import { CONNECTIONS, sessionOf } from '../posting.ts';
import { type Sample, stalenessOf } from '../result.ts';
import { repeated, type Scenario, type ScenarioContext } from '../scenario.ts';

/** Opens these clients of the invalidation stream in a process of their own. */
async function connect(host: Host, query: string, modes: readonly Mode[], { launch }: ScenarioContext) {
  const program = new URL('../crowd-process.ts', import.meta.url);
  const crowd = new Helper<CrowdOrder, CrowdReply>({ name: 'the clients', program, ...launch });
  const url = `${host.url}/api/stream?mode=invalidate&${query}`;
  await crowd.ask({ kind: 'connect', url, modes }, 'done');
  return crowd;
}

const MIN_INTERVAL_MS = 100;
/** One client of so many never reads. */
const STALLED_OF = 10;

/** More than the largest number of clients. */
const FLAGS = ['--max-stream-clients', '2000'];

/** As fast as the server answers, and more requests than any server can answer in that time. */
const SATURATION = { batch: 250, requests: 400_000, connections: CONNECTIONS };

export const fanOut: Scenario = async (server, context) => {
  const { fan_out_clients: counts, fan_out_rounds } = context.sizes;
  const rounds: Awaited<ReturnType<typeof fanOutRound>>[] = [];
  // Every second round has the opposite order, so that a drift of the machine favours no number of clients.
  for (let i = 0; i < fan_out_rounds; i++)
    for (const clients of i % 2 === 0 ? counts : counts.toReversed())
      rounds.push(await fanOutRound(server, clients, context));
  for (const [clients, own] of Map.groupBy(rounds, (round) => round.clients)) {
    const parameters = { clients, stalled: own[0]!.stalled, min_interval_ms: MIN_INTERVAL_MS };
    const samples = own.map(({ sample }) => sample);
    context.add(parameters, samples, latencyOf(merge(own.map(({ waits }) => waits))));
  }
};

async function fanOutRound(server: TargetName, clients: number, context: ScenarioContext) {
  const { launch, sizes, poster } = context;
  return withHost(Host.start(server, launch, { flags: FLAGS }), async (host) => {
    const stalled = Math.floor(clients / STALLED_OF);
    const modes = Array.from({ length: clients }, (_, i) => (i < stalled ? 'stalled' : 'reads'));
    const crowd = await connect(host, `min_interval_ms=${MIN_INTERVAL_MS}`, modes, context);
    const isWhole = async () => {
      const response = await fetch(`${host.url}/api/health`);
      return ((await response.json()) as { readonly sse_clients: number }).sse_clients === clients;
    };
    await until(isWhole, `${clients} clients at the server`);
    await poster.warmUp(host);
    await crowd.ask({ kind: 'mark' }, 'done');
    const { posted, figures } = await poster.measuredLoad(host);
    const { rss_bytes } = await createProbe()(host.pid);
    const saturated = await poster.post(host, { ...SATURATION, seconds: sizes.load_s });
    if (!(await isWhole()))
      throw new BenchFailure('out_of_sync', `${server} dropped one of ${clients} clients`);
    const { answers, started_ms } = posted;
    const found = await crowd.ask({ kind: 'finish', answers, newest: saturated.revision }, 'finished');
    await crowd.close();
    const waits = decode(found.waits);
    const sample = {
      ...figures,
      rss_bytes,
      saturated_events_per_s: (saturated.events / (saturated.ended_ms - saturated.started_ms)) * 1000,
      clients_cpu_share: clients === 0 ? null : found.cpu_us / 1000 / (nowMs() - started_ms),
      notified: found.notified,
      // A client that heard of an older state would have failed the round.
      violations: 0,
      ...stalenessOf(latencyOf(waits)),
    };
    return { clients, stalled, sample, waits };
  });
}

/** Followers that receive every event of the stream during a load, and their delivery lag. */
export const fullStream: Scenario = async (server, { sizes, launch, poster, add }) => {
  const clients = sizes.full_stream_clients;
  const round = async (): Promise<Sample> => {
    const host = await Host.start(server, launch);
    const crowd = startStreamClients({ url: host.url, clients, ...launch });
    await crowd.ready();
    await poster.warmUp(host);
    await crowd.mark();
    const { posted, figures } = await poster.measuredLoad(host);
    await crowd.until(posted.revision);
    await host.stop();
    const sample = await crowd.finish(host.database, server, posted.revision);
    await host.discard();
    return {
      ...figures,
      notified: sample.frames,
      clients_cpu_share: sample.clients_cpu_us / 1000 / (posted.ended_ms - posted.started_ms),
      ...stalenessOf(sample.lag),
    };
  };
  add({ clients }, await repeated(sizes.stream_rounds, round));
};

/** Number of session topics. With the three other topics it is the largest number that one client may subscribe to. */
const SESSIONS = 13;
const SESSION_TOPICS = Array.from({ length: SESSIONS }, (_, i) => `session:${sessionOf(i)}`);
const TOPICS = ['events', 'stats', 'sessions', ...SESSION_TOPICS];

/**
 * The memory that the server holds for a client that reads a thousand bytes a second. It subscribes to as many topics as
 * possible without an interval, and every batch changes all of them. A client that reads everything from another fresh
 * server is the reference.
 */
export const slowClient: Scenario = async (server, context) => {
  const { launch, sizes, poster } = context;
  for (const [reads, mode] of [
    ['1 KB/s', 'slow'],
    ['everything', 'reads'],
  ] as const) {
    const round = () =>
      withHost(Host.start(server, launch), async (host): Promise<Sample> => {
        // This load creates the sessions and warms up the server.
        await poster.warmUp(host, SESSIONS);
        const probe = createProbe();
        const before = await probe(host.pid);
        const crowd = await connect(host, `topics=${TOPICS.join()}`, [mode], context);
        const { posted, figures } = await poster.measuredLoad(host, SESSIONS);
        const { rss_bytes } = await probe(host.pid);
        const { kernel_bytes } = await crowd.ask({ kind: 'held' }, 'held');
        await crowd.ask({ kind: 'finish', answers: [], newest: posted.revision }, 'finished');
        await crowd.close();
        const grown = before.rss_bytes === null ? null : rss_bytes! - before.rss_bytes;
        const held_rss_bytes = grown === null ? null : Math.max(0, grown);
        return { ...figures, rss_bytes, held_rss_bytes, held_kernel_bytes: kernel_bytes };
      });
    context.add({ reads, topics: TOPICS.length }, await repeated(sizes.stream_rounds, round));
  }
};
