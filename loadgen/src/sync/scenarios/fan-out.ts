/**
 * Many followers during a load: how long reading clients wait for a state, and how much the followers slow down the
 * ingest.
 *
 * A tenth of the clients never reads. Invariants: every reading client receives the last state. No client is dropped.
 * No client receives an older state after a newer one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { decode, type Histogram, latencyOf, merge } from '../../analyse/histogram.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { Helper } from '../../run/helper.ts';
import { Host, withHost } from '../../run/host.ts';
import type { CrowdFindings, CrowdOrder, CrowdReply } from '../crowd-process.ts';
import { FigureValues } from '../figure.ts';
import { CONNECTIONS, load, measuredLoad } from '../load.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { until } from '../strategies/strategy.ts';

const MIN_INTERVAL_MS = 100;
const PATH = `/api/stream?mode=invalidate&min_interval_ms=${MIN_INTERVAL_MS}`;
const STALLED_OF = 10;
const FULL_BATCH = 250;

/** More than the largest number of clients. */
const FLAGS = ['--max-stream-clients', '2000'];

/** More than any server can answer in that time. */
const MOST_REQUESTS = 400_000;

interface Case {
  readonly clients: number;
  /** Number of these clients that never read. */
  readonly stalled: number;
  readonly values: FigureValues;
  readonly waits: Histogram[];
}

export const fanOutScenario: Scenario = {
  name: 'fan_out',
  async measure(server, context) {
    const { fan_out_clients, fan_out_rounds } = context.sizes;
    const cases = fan_out_clients.map((clients): Case => {
      const stalled = Math.floor(clients / STALLED_OF);
      return { clients, stalled, values: new FigureValues(), waits: [] };
    });
    // Every second round has the opposite order, so that a drift of the machine favours no number of clients.
    for (let i = 0; i < fan_out_rounds; i++)
      for (const one of i % 2 === 0 ? cases : cases.toReversed()) await round(server, one, context);
    for (const { clients, stalled, values, waits } of cases) {
      const latency = waits.length === 0 ? null : latencyOf(merge(waits));
      const parameters = { clients, stalled, min_interval_ms: MIN_INTERVAL_MS };
      context.add({ parameters, figures: values.all(), latency });
    }
  },
};

async function round(server: TargetName, own: Case, context: ScenarioContext): Promise<void> {
  const { clients, stalled, values, waits } = own;
  const { launch, sizes } = context;
  const { patience_ms } = sizes;
  await withHost(Host.start(server, launch, { flags: FLAGS }), async (host) => {
    const crowd = new Helper<CrowdOrder, CrowdReply>({
      name: 'the clients',
      program: new URL('../crowd-process.ts', import.meta.url),
      placement: launch.placement,
      lifetime: launch.lifetime,
    });
    await crowd.ask({ kind: 'connect', url: host.url, path: PATH, clients, stalled, patience_ms }, 'done');
    const isWhole = async () => (await clientsOf(host)) === clients;
    await until(isWhole, patience_ms, `${clients} clients at the server`);
    await load(host, context, sizes.load_warm_up_s);
    await crowd.ask({ kind: 'mark' }, 'done');
    const { posted, figures } = await measuredLoad(host, context);
    const { rss_bytes } = await createProbe()(host.pid);
    const saturated = await context.poster.post(host, {
      batch: FULL_BATCH,
      requests: MOST_REQUESTS,
      connections: CONNECTIONS,
      seconds: sizes.load_s,
    });
    if (!(await isWhole()))
      throw new BenchFailure('out_of_sync', `${server} dropped one of ${clients} clients`);
    const { answers, started_ms } = posted;
    const newest = Number(saturated.revision);
    const { found } = await crowd.ask({ kind: 'finish', answers, newest, patience_ms }, 'finished');
    await crowd.close();
    checkFindings(server, found);
    const notified = decode(found.waits);
    const wait = latencyOf(notified);
    if (wait !== null) waits.push(notified);
    values.add({
      ...figures,
      rss_bytes,
      saturated_events_per_s: (saturated.events / (saturated.ended_ms - saturated.started_ms)) * 1000,
      clients_cpu_share: clients === 0 ? null : found.cpu_us / 1000 / (nowMs() - started_ms),
      notified: found.notified,
      violations: found.older,
      staleness_p50_ms: wait?.p50_ms ?? null,
      staleness_p99_ms: wait?.p99_ms ?? null,
      staleness_max_ms: wait?.max_ms ?? null,
    });
  });
}

function checkFindings(server: TargetName, { missed, behind, older, ended }: CrowdFindings): void {
  const problems = [
    ...(behind > 0 ? [`${behind} clients never heard of the last state`] : []),
    ...(missed > 0 ? [`${missed} times a client never heard of a state`] : []),
    ...(older > 0 ? [`${older} times a client heard of an older state`] : []),
    ...ended.map((how) => `a stream ended: ${how}`),
  ];
  if (problems.length > 0)
    throw new BenchFailure('out_of_sync', `${server}: clients are not in sync`, problems);
}

/** Returns the number of stream clients that `GET /api/health` reports. */
async function clientsOf(host: Host): Promise<number> {
  const response = await fetch(`${host.url}/api/health`);
  return ((await response.json()) as { readonly sse_clients: number }).sse_clients;
}
