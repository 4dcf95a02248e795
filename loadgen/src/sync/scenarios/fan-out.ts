/**
 * Many followers during a load: how long reading clients wait for a state, and how much the followers slow down the
 * ingest.
 *
 * A tenth of the clients never reads. Invariants: a round fails if the server drops a client. It fails if a reading client
 * misses the last state, or receives an older one after a newer one (`crowd-process.ts`).
 */

import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { decode, latencyOf, merge } from '../../analyse/histogram.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { Helper } from '../../run/helper.ts';
import { Host, withHost } from '../../run/host.ts';
import type { CrowdOrder, CrowdReply } from '../crowd-process.ts';
import { CONNECTIONS, load, measuredLoad } from '../poster.ts';
import { stalenessOf } from '../result.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { until } from '../strategies.ts';

const MIN_INTERVAL_MS = 100;
const PATH = `/api/stream?mode=invalidate&min_interval_ms=${MIN_INTERVAL_MS}`;
const STALLED_OF = 10;

/** More than the largest number of clients. */
const FLAGS = ['--max-stream-clients', '2000'];

/** As fast as the server answers, and more requests than any server can answer in that time. */
const SATURATION = { batch: 250, requests: 400_000, connections: CONNECTIONS };

export const fanOut: Scenario = async (server, context) => {
  const { fan_out_clients, fan_out_rounds } = context.sizes;
  const cases = fan_out_clients.map((clients) => {
    return {
      clients,
      stalled: Math.floor(clients / STALLED_OF),
      rounds: [] as Awaited<ReturnType<typeof roundOf>>[],
    };
  });
  // Every second round has the opposite order, so that a drift of the machine favours no number of clients.
  for (let i = 0; i < fan_out_rounds; i++)
    for (const { clients, stalled, rounds } of i % 2 === 0 ? cases : cases.toReversed())
      rounds.push(await roundOf(server, clients, stalled, context));
  for (const { clients, stalled, rounds } of cases) {
    const samples = rounds.map(({ sample }) => sample);
    const latency = latencyOf(merge(rounds.map(({ waits }) => waits)));
    context.add({ clients, stalled, min_interval_ms: MIN_INTERVAL_MS }, samples, latency);
  }
};

async function roundOf(server: TargetName, clients: number, stalled: number, context: ScenarioContext) {
  const { launch, sizes } = context;
  const { patience_ms } = sizes;
  return withHost(Host.start(server, launch, { flags: FLAGS }), async (host) => {
    const crowd = new Helper<CrowdOrder, CrowdReply>({
      name: 'the clients',
      program: new URL('../crowd-process.ts', import.meta.url),
      ...launch,
    });
    await crowd.ask({ kind: 'connect', url: host.url, path: PATH, clients, stalled, patience_ms }, 'done');
    const isWhole = async () => {
      const response = await fetch(`${host.url}/api/health`);
      return ((await response.json()) as { readonly sse_clients: number }).sse_clients === clients;
    };
    await until(isWhole, patience_ms, `${clients} clients at the server`);
    await load(host, context, sizes.load_warm_up_s);
    await crowd.ask({ kind: 'mark' }, 'done');
    const { posted, figures } = await measuredLoad(host, context);
    const { rss_bytes } = await createProbe()(host.pid);
    const saturated = await context.poster.post(host, { ...SATURATION, seconds: sizes.load_s });
    if (!(await isWhole()))
      throw new BenchFailure('out_of_sync', `${server} dropped one of ${clients} clients`);
    const { answers, started_ms } = posted;
    const newest = Number(saturated.revision);
    const found = await crowd.ask({ kind: 'finish', answers, newest, patience_ms }, 'finished');
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
    return { sample, waits };
  });
}
