/**
 * Makes a measurement of samples: summaries, comparisons with their noise floor, drift, warnings.
 *
 * Everything here is a function of the rounds in the result.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { PoolFacts } from '../load/pool.ts';
import { cpuShares } from '../observe/cpu-share.ts';
import type { Sample, Timeline } from '../observe/sample.ts';
import type { Spec } from '../plan/spec.ts';
import type { Measurement, Rate, ServerMeasurement } from '../result/result.ts';
import type { Rounds } from '../run/rounds.ts';
import { type Drift, driftOf } from './drift.ts';
import { METRICS, type Metric } from './metrics.ts';
import { type Comparison, compareRounds, median, noiseFloorOf, summarise } from './statistics.ts';
import { measurementWarnings } from './warnings.ts';

export interface Findings {
  readonly spec: Spec;
  readonly targets: readonly TargetName[];
  readonly driver: DriverFacts;
  readonly payload: PoolFacts;
  readonly rounds: Rounds;
  /** Index of the ceiling it is shown next to, or `null`. */
  readonly ceiling: number | null;
  /** Cores that the generator may run on. */
  readonly generator_cores: number;
}

export function measurementOf(findings: Findings): Measurement {
  const { spec, targets, rounds, generator_cores } = findings;
  const metrics = METRICS.filter(
    (metric) => metric.from === 'rounds' && applies(metric, spec, rounds.samples),
  );
  const valuesOf = (metric: Metric, name: TargetName) =>
    rounds.samples.filter((sample) => sample.target === name).map((sample) => figureOf(metric, sample));
  const servers = Object.fromEntries(
    targets.map((name) => [name, serverOf(spec, metrics, name, rounds.samples, valuesOf)] as const),
  );
  const comparison = Object.fromEntries(
    metrics.map((metric) => [
      metric.key,
      compare(rounds.order, valuesOf(metric, 'rs'), valuesOf(metric, 'ts')),
    ]),
  );
  return {
    name: spec.name,
    title: spec.title,
    mode: spec.mode,
    workload: { ...spec.workload, ...rounds.size, rate: rateOf(spec, targets, rounds.samples) },
    driver: findings.driver,
    payload: findings.payload,
    ceiling: findings.ceiling,
    order: rounds.order,
    servers,
    ...(targets.length === 2 ? { comparison } : {}),
    rounds: rounds.samples,
    warnings: measurementWarnings({ spec, targets, generator_cores, samples: rounds.samples }),
  };
}

/** As asked for; of a share the median of what each server was asked for in its rounds. */
function rateOf(spec: Spec, targets: readonly TargetName[], samples: readonly Sample[]): Rate | null {
  const { rate } = spec;
  if (rate === null || rate.kind === 'fixed') return rate;
  const asked = targets.map((name) => {
    const own = samples.filter((sample) => sample.target === name);
    return [name, median(own.map((sample) => sample.rate_events_per_s!))!] as const;
  });
  return { ...rate, events_per_s: Object.fromEntries(asked) };
}

/** The measured starts, as a measurement of their own. */
export function startupOf(
  starts: ReadonlyMap<TargetName, readonly number[]>,
  order: readonly TargetName[],
): Measurement {
  const targets = [...starts.keys()];
  const servers = Object.fromEntries(
    targets.map((name) => {
      const starts_ms = starts.get(name)!;
      return [name, { starts_ms, metrics: { start_ms: summarise(starts_ms) } }] as const;
    }),
  );
  const comparison = { start_ms: compare(order, starts.get('rs') ?? [], starts.get('ts') ?? []) };
  return {
    name: 'startup',
    title: 'Start on an empty database, spawn to the first 200 of /readyz',
    mode: 'startup',
    workload: null,
    driver: null,
    payload: null,
    ceiling: null,
    order,
    servers,
    ...(targets.length === 2 ? { comparison } : {}),
    rounds: [],
    warnings: [],
  };
}

function serverOf(
  spec: Spec,
  metrics: readonly Metric[],
  name: TargetName,
  samples: readonly Sample[],
  valuesOf: (metric: Metric, name: TargetName) => readonly (number | null)[],
): ServerMeasurement {
  const summaries = metrics.map((metric) => {
    const values = measured(valuesOf(metric, name));
    return [metric.key, values === null ? null : summarise(values)] as const;
  });
  const soaked = spec.mode === 'soak' ? samples.find((sample) => sample.target === name) : undefined;
  return {
    metrics: Object.fromEntries(summaries),
    ...(soaked === undefined ? {} : { drift: driftsOf(soaked.timeline) }),
  };
}

function figureOf(metric: Metric, sample: Sample): number | null {
  return metric.from === 'rounds' ? metric.value(sample) : null;
}

/** What a load of this kind has no figure for is left out rather than shown as not measured. */
function applies(metric: Metric, spec: Spec, samples: readonly Sample[]): boolean {
  if (metric.key.startsWith('stream_')) return spec.workload.stream_clients > 0;
  if (metric.key === 'cold_events_per_s')
    return samples.some(({ warm_up }) => warm_up.cold_events_per_s !== null);
  return true;
}

/** `null` when one of them was not measured. */
function measured(values: readonly (number | null)[]): number[] | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? known : null;
}

function compare(
  order: readonly TargetName[],
  rs: readonly (number | null)[],
  ts: readonly (number | null)[],
): Comparison | null {
  const [first, second] = [measured(rs), measured(ts)];
  if (first === null || second === null) return null;
  return compareRounds(first, second, noiseFloorOf(order, { rs, ts }));
}

const MEBIBYTE = 1024 * 1024;

/** Per hour, what is too small to matter over a working day. */
const TOLERANCES = {
  rss_bytes: 8 * MEBIBYTE,
  /** Of a core. */
  cpu_share: 0.05,
  wal_bytes: 8 * MEBIBYTE,
  file_descriptors: 1,
  lag_ms: 1,
};

/** A third of the time lets caches fill and the heap find its size. */
const SETTLE_SHARE = 1 / 3;

function driftsOf(timeline: Timeline): Record<string, Drift> {
  const settle_ms = (timeline.t_ms.at(-1) ?? 0) * SETTLE_SHARE;
  const drift = (values: readonly (number | null)[], t_ms: readonly number[], tolerance_per_hour: number) =>
    driftOf(t_ms, values, { tolerance_per_hour, settle_ms });
  return {
    rss_bytes: drift(timeline.rss_bytes, timeline.t_ms, TOLERANCES.rss_bytes),
    cpu_share: drift(cpuShares(timeline), timeline.t_ms, TOLERANCES.cpu_share),
    wal_bytes: drift(timeline.wal_bytes, timeline.t_ms, TOLERANCES.wal_bytes),
    file_descriptors: drift(timeline.file_descriptors, timeline.t_ms, TOLERANCES.file_descriptors),
    lag_ms: drift(timeline.lag_ms, timeline.t_ms, TOLERANCES.lag_ms),
  };
}
