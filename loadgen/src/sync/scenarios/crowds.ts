/**
 * Followers during a load: how long reading clients wait for a state, and how much they slow down the ingest.
 *
 * Invariants: a round fails if the server drops a client. It fails if a reading client misses the last state, or receives
 * an older one after a newer one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { probe } from '../../observe/probe.ts';
import { startStreamClients } from '../../observe/stream/clients.ts';
import { inTurn } from '../../plan/turns.ts';
import { Helper } from '../../run/helper.ts';
import { Host, withHost } from '../../run/host.ts';
import type { CrowdOrders } from '../crowd-process.ts';
import { until } from '../journal.ts';
import { CONNECTIONS } from '../posting.ts';
import { type Sample, stalenessOf } from '../result.ts';
import { repeated, type Scenario, type ScenarioContext } from '../scenario.ts';

const MIN_INTERVAL_MS = 100;
/** One client of so many never reads. */
const STALLED_OF = 10;

/** More than the largest number of clients. */
const FLAGS = ['--max-stream-clients', '2000'];

/** As fast as the server answers, and more requests than any server can answer in that time. */
const SATURATION = { batch: 250, requests: 400_000, connections: CONNECTIONS };

export const fanOut: Scenario = async (server, context) => {
  const { fan_out_clients: counts, fan_out_rounds } = context.sizes;
  const samples = new Map<number, Sample[]>(counts.map((clients) => [clients, []]));
  const stalledOf = (clients: number) => Math.floor(clients / STALLED_OF);
  for (const clients of inTurn(counts, fan_out_rounds))
    samples.get(clients)!.push(await fanOutRound(server, clients, stalledOf(clients), context));
  for (const [clients, own] of samples)
    context.add({ clients, stalled: stalledOf(clients), min_interval_ms: MIN_INTERVAL_MS }, own);
};

async function fanOutRound(server: TargetName, clients: number, stalled: number, context: ScenarioContext) {
  const { launch, sizes, poster } = context;
  return withHost(Host.start(server, launch, { flags: FLAGS }), async (host): Promise<Sample> => {
    const program = new URL('../crowd-process.ts', import.meta.url);
    const crowd = new Helper<CrowdOrders>({ name: 'the clients', program, ...launch });
    const url = `${host.url}/api/stream?mode=invalidate&min_interval_ms=${MIN_INTERVAL_MS}`;
    await crowd.ask('open', url, clients - stalled, stalled);
    const isWhole = async () => {
      const response = await fetch(`${host.url}/api/health`);
      return ((await response.json()) as { readonly sse_clients: number }).sse_clients === clients;
    };
    await until(isWhole, `${clients} clients at the server`);
    await poster.warmUp(host);
    await crowd.ask('mark');
    const { posted, figures } = await poster.measuredLoad(host);
    const { rss_bytes } = await probe(host.pid);
    const saturated = await poster.post(host, { ...SATURATION, seconds: sizes.load_s });
    if (!(await isWhole()))
      throw new BenchFailure('out_of_sync', `${server} dropped one of ${clients} clients`);
    const { answers, started_ms } = posted;
    const found = await crowd.ask('finish', answers, saturated.revision);
    await crowd.close();
    return {
      ...figures,
      rss_bytes,
      saturated_events_per_s: (saturated.events / (saturated.ended_ms - saturated.started_ms)) * 1000,
      clients_cpu_share: clients === 0 ? null : found.cpu_us / 1000 / (nowMs() - started_ms),
      notified: found.notified,
      ...found.staleness,
    };
  });
}

/** Followers that receive every event of the stream during a load, and their delivery lag. */
export const fullStream: Scenario = async (server, { sizes, launch, poster, add }) => {
  const clients = sizes.full_stream_clients;
  const round = async (): Promise<Sample> => {
    const host = await Host.start(server, launch);
    const crowd = await startStreamClients(host.url, clients, launch);
    await poster.warmUp(host);
    await crowd.ask('mark');
    const { posted, figures } = await poster.measuredLoad(host);
    await crowd.ask('until', posted.revision);
    await host.stop();
    const sample = await crowd.ask('finish', host.database, server, posted.revision);
    await crowd.close();
    await host.discard();
    return {
      ...figures,
      notified: sample.frames,
      clients_cpu_share: sample.clients_cpu_us / 1000 / (posted.ended_ms - posted.started_ms),
      ...stalenessOf(sample.lag),
    };
  };
  add({ clients }, await repeated(sizes.full_stream_rounds, round));
};
