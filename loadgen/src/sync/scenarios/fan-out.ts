/**
 * Many followers during a load: how long reading clients wait for a state, and how much the followers slow down the
 * ingest.
 *
 * A tenth of the clients never reads. Invariants: every reading client receives the last state. No client is dropped.
 * No client receives an older state after a newer one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import {
  createHistogram,
  decode,
  type Histogram,
  latencyOf,
  merge,
  record,
} from '../../analyse/histogram.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { Helper } from '../../run/helper.ts';
import { Host, withHost } from '../../run/host.ts';
import { SMALL } from '../bodies.ts';
import type { CrowdFindings, CrowdOrder, CrowdReply } from '../crowd-process.ts';
import { FigureValues } from '../figure.ts';
import type { Posted } from '../poster-process.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { until } from '../strategies/strategy.ts';

const MIN_INTERVAL_MS = 100;
const PATH = `/api/stream?mode=invalidate&min_interval_ms=${MIN_INTERVAL_MS}`;
const STALLED_OF = 10;
export const BATCH = 50;
/**
 * The server holds 1,024 connections, and a thousand of them are the clients'. So few connections post, with many
 * events in each request.
 */
export const CONNECTIONS = 8;
const FULL_BATCH = 250;

/** More than the largest number of clients. */
const FLAGS = ['--max-stream-clients', '2000'];

/** More events than any server can store in that time. */
const MOST_EVENTS = 100_000_000;

interface Case {
  readonly values: FigureValues;
  readonly waits: Histogram[];
}

export const fanOutScenario: Scenario = {
  name: 'fan_out',
  async measure(server, context) {
    const { sizes } = context;
    const cases = new Map<number, Case>();
    for (const clients of sizes.fan_out_clients)
      cases.set(clients, { values: new FigureValues(), waits: [] });
    for (const clients of inTurn(sizes.fan_out_clients, sizes.fan_out_rounds))
      await round(server, clients, cases.get(clients)!, context);
    for (const [clients, { values, waits }] of cases) {
      const parameters = { clients, stalled: stalledOf(clients), min_interval_ms: MIN_INTERVAL_MS };
      const latency = waits.length === 0 ? null : latencyOf(merge(waits));
      context.add({ parameters, figures: values.all(), latency });
    }
  },
};

/**
 * Returns the numbers of clients in rising order, then in falling order, and so on. A drift of the machine therefore
 * favours no number of clients.
 */
function inTurn(clients: readonly number[], rounds: number): number[] {
  return Array.from({ length: rounds }, (_, i) => (i % 2 === 0 ? clients : clients.toReversed())).flat();
}

function stalledOf(clients: number): number {
  return Math.floor(clients / STALLED_OF);
}

async function round(
  server: TargetName,
  clients: number,
  { values, waits }: Case,
  context: ScenarioContext,
): Promise<void> {
  const { launch, sizes } = context;
  await withHost(Host.start(server, launch, { flags: FLAGS }), async (host) => {
    const crowd = new Helper<CrowdOrder, CrowdReply>({
      name: 'the clients',
      program: new URL('../crowd-process.ts', import.meta.url),
      placement: launch.placement,
      lifetime: launch.lifetime,
    });
    const { patience_ms } = sizes;
    const stalled = stalledOf(clients);
    const order = { url: host.url, path: PATH, clients, stalled, patience_ms };
    await crowd.ask({ kind: 'connect', ...order }, 'done');
    const isWhole = async () => (await clientsOf(host)) === clients;
    await until(isWhole, patience_ms, `${clients} clients at the server`);
    await load(host, context, sizes.load_warm_up_s);
    await crowd.ask({ kind: 'mark' }, 'done');
    const offered = await measuredLoad(host, context);
    const acknowledged = offered.posted.answers.map(({ answered_ms, revision }) => ({
      at_ms: answered_ms,
      revision: Number(revision),
    }));
    const probe = await createProbe()(host.pid);
    const saturated = await context.poster.closed(host, MOST_EVENTS, sizes.load_s, FULL_BATCH, CONNECTIONS);
    if (!(await isWhole()))
      throw new BenchFailure('out_of_sync', `${server} dropped one of ${clients} clients`);
    const newest = Number(saturated.revision);
    const { found } = await crowd.ask({ kind: 'finish', acknowledged, newest, patience_ms }, 'finished');
    await crowd.close();
    checkFindings(server, found);
    const notified = decode(found.waits);
    const wait = latencyOf(notified);
    if (wait !== null) waits.push(notified);
    values.add({
      ...offered.figures,
      rss_bytes: probe.rss_bytes,
      saturated_events_per_s: (saturated.events / (saturated.ended_ms - saturated.started_ms)) * 1000,
      clients_cpu_share: clients === 0 ? null : found.cpu_us / 1000 / (nowMs() - offered.posted.started_ms),
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

/** Posts at the offered rate for `seconds`. */
export function load(host: Host, { poster, sizes }: ScenarioContext, seconds: number, shape = SMALL) {
  const per_s = sizes.load_events_per_s;
  const requests = Math.max(1, Math.round((per_s * seconds) / BATCH));
  return poster.paced(host, { per_s, batch: BATCH, requests, connections: CONNECTIONS }, shape);
}

/**
 * Posts at the offered rate for the length of a round. Returns the posts, and figures of the server during the load.
 */
export async function measuredLoad(host: Host, context: ScenarioContext, shape = SMALL) {
  const probe = createProbe();
  const before = await probe(host.pid);
  const posted = await load(host, context, context.sizes.load_s, shape);
  const after = await probe(host.pid);
  const took_ms = posted.ended_ms - posted.started_ms;
  const cpu_us = before.cpu_us === null || after.cpu_us === null ? null : after.cpu_us - before.cpu_us;
  return {
    posted,
    figures: {
      ingest_events_per_s: (posted.events / took_ms) * 1000,
      ingest_p99_ms: answerP99(posted),
      server_cpu_us_per_event: cpu_us === null ? null : cpu_us / posted.events,
      server_cpu_share: cpu_us === null ? null : cpu_us / 1000 / took_ms,
    },
  };
}

/** Returns the p99 of the time from when a post was due to its response. */
function answerP99({ answers }: Posted): number {
  const histogram = createHistogram();
  for (const { from_ms, answered_ms } of answers) record(histogram, answered_ms - from_ms);
  return latencyOf(histogram)!.p99_ms;
}
