/**
 * Computes a measurement from slices and processes: summaries, comparisons, drift, warnings. Everything follows from
 * the raw data in the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { PoolFacts } from '../load/pool.ts';
import type { Slice, Timeline } from '../observe/sample.ts';
import type { Spec } from '../plan/spec.ts';
import type { Rate, RawMeasurement, ServerMeasurement } from '../result/result.ts';
import type { Rounds } from '../run/round.ts';
import { type Drift, driftOf } from './drift.ts';
import { DRIFTS, generatorLoad, METRICS, type Metric } from './metrics.ts';
import { type ByRound, compareRounds, compareSlices, median, summarise } from './statistics.ts';
import { type Grounds, measurementWarnings } from './warnings.ts';

export interface Findings extends Omit<Grounds, 'comparison'> {
  readonly driver: DriverFacts;
  readonly payload: PoolFacts;
  /** Index of the ceiling that the measurement is compared with; `null` when there is none. */
  readonly ceiling: number | null;
}

export function measurementOf(findings: Findings): RawMeasurement {
  const { spec, targets, rounds, driver, payload, ceiling } = findings;
  const { slices, processes } = rounds;
  const metrics = METRICS.filter((metric) => applies(metric, spec, rounds));
  const servers = targets.map((name) => [name, serverOf(name, metrics, findings)]);
  const comparison = Object.fromEntries(
    metrics.map((metric) => {
      const [rs, ts] = [valuesOf(metric, 'rs', rounds), valuesOf(metric, 'ts', rounds)];
      return [metric.key, rs && ts && compareSlices(rs, ts)];
    }),
  );
  const sum = (of: (sent: Slice['measured']) => number) =>
    slices.reduce((all, { measured }) => all + of(measured), 0);
  return {
    name: spec.name,
    title: spec.title,
    mode: spec.mode,
    contenders: spec.servers,
    workload: { ...spec.workload, ...rounds.size, rate: rateOf(spec, targets, slices) },
    driver,
    payload,
    ceiling,
    order: slices.map(({ target }) => target),
    servers: Object.fromEntries(servers),
    ...(targets.length === 2 ? { comparison } : {}),
    audited_events: processes.reduce((all, { audit }) => all + audit.events, 0),
    generator: {
      cpu_us_per_event: sum((sent) => sent.generator_cpu_us) / sum((sent) => sent.sent_events),
      core_share: median(slices.map(generatorLoad))!,
    },
    slices,
    processes,
    warnings: measurementWarnings({ ...findings, comparison }),
  };
}

export function startupOf(
  starts: ReadonlyMap<TargetName, readonly number[]>,
  order: readonly TargetName[],
): RawMeasurement {
  const servers = [...starts].map(([name, starts_ms]) => [
    name,
    { starts_ms, metrics: { start_ms: summarise(starts_ms) } },
  ]);
  const comparison = { start_ms: compareRounds(starts.get('rs') ?? [], starts.get('ts') ?? []) };
  return {
    name: 'startup',
    title: 'Start on an empty database, spawn to the first 200 of /readyz',
    mode: 'startup',
    contenders: 'product',
    workload: null,
    driver: null,
    payload: null,
    ceiling: null,
    order,
    servers: Object.fromEntries(servers),
    ...(starts.size === 2 ? { comparison } : {}),
    audited_events: 0,
    generator: null,
    slices: [],
    processes: [],
    warnings: [],
  };
}

/** Returns the requested rate. A share gets the median rate that each server was asked for in its rounds. */
function rateOf({ rate }: Spec, targets: readonly TargetName[], slices: readonly Slice[]): Rate | null {
  if (rate === null || rate.kind === 'fixed') return rate;
  const asked = targets.map((name) => {
    const own = slices.filter(({ target }) => target === name);
    return [name, median(own.map(({ rate_events_per_s }) => rate_events_per_s!))];
  });
  return { ...rate, events_per_s: Object.fromEntries(asked) };
}

/** Metrics of the main group whose values the summary contains slice by slice; of an open loop without the first. */
const SHOWN_BY_SLICE = ['throughput_events_per_s', 'server_cpu_us_per_event', 'latency_p99_ms'];

function serverOf(
  name: TargetName,
  metrics: readonly Metric[],
  { spec, rounds }: Findings,
): ServerMeasurement {
  const found = metrics.map((metric) => [metric.key, valuesOf(metric, name, rounds)] as const);
  const shown = SHOWN_BY_SLICE.slice(spec.rate === null ? 0 : 1);
  const values = found.filter(([key, own]) => own !== null && shown.includes(key));
  const soaked = spec.mode === 'soak' ? rounds.slices.find(({ target }) => target === name) : undefined;
  return {
    metrics: Object.fromEntries(found.map(([key, own]) => [key, own && summarise(own.flat())])),
    ...(spec.group === 'main' ? { values: Object.fromEntries(values) as Record<string, ByRound> } : {}),
    ...(soaked?.reader ? { reads: soaked.reader } : {}),
    ...(soaked && { drift: driftsOf(soaked.timeline) }),
  };
}

/** Returns the values by round and slice; `null` when one of them was not measured. */
function valuesOf(metric: Metric, name: TargetName, rounds: Rounds): ByRound | null {
  const own = metric.samplesIn(rounds).filter(({ target }) => target === name);
  if (own.some(({ value }) => value === null)) return null;
  return [...Map.groupBy(own, ({ round }) => round).values()].map((all) => all.map(({ value }) => value!));
}

/** Returns whether this kind of load can have the metric. Other metrics are left out, not shown as not measured. */
function applies({ key, samplesIn }: Metric, spec: Spec, rounds: Rounds): boolean {
  const samples = samplesIn(rounds);
  if (key.startsWith('stream_') && spec.workload.stream_clients === 0) return false;
  return key === 'cold_events_per_s' ? samples.some(({ value }) => value !== null) : samples.length > 0;
}

/** Share of the soak that is left out at its start, while caches fill and the heap grows. */
const SETTLE_SHARE = 1 / 3;

function driftsOf(timeline: Timeline): Record<string, Drift> {
  const settle_ms = (timeline.t_ms.at(-1) ?? 0) * SETTLE_SHARE;
  const columns = { ...timeline, cpu_share: cpuShares(timeline) };
  const drifts = Object.entries(DRIFTS).map(([key, { tolerance: tolerance_per_hour }]) => {
    const values = columns[key as keyof typeof DRIFTS];
    return [key, driftOf(timeline.t_ms, values, { tolerance_per_hour, settle_ms })];
  });
  return Object.fromEntries(drifts);
}

/** Returns the share of a core that the server used since the sample before; `null` where one has no CPU time. */
export function cpuShares({ t_ms, cpu_us }: Pick<Timeline, 't_ms' | 'cpu_us'>): (number | null)[] {
  return cpu_us.map((now, i) => {
    const before = cpu_us[i - 1] ?? null;
    const span_us = (t_ms[i]! - (t_ms[i - 1] ?? 0)) * 1000;
    return now === null || before === null || span_us <= 0 ? null : (now - before) / span_us;
  });
}
