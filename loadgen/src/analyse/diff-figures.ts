/**
 * Each figure of two results with its change: medians with intervals, B over A.
 *
 * Invariant: intervals are drawn from the rounds of each side alone, since rounds of two runs are no pairs. They
 * contain the scatter within a run and not the drift between runs, so a change is weaker evidence than a ratio within
 * one run.
 */
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Measurement, Result } from '../result/result.ts';
import { METRICS } from './metrics.ts';
import {
  ENOUGH_FOR_VERDICT,
  type Interval,
  medianInterval,
  noiseFloorOf,
  unpairedInterval,
  type Verdict,
  verdictOf,
} from './statistics.ts';

export interface Figure {
  readonly median: number;
  /** 95 % of the median; `null` of a single value. */
  readonly interval: Interval | null;
}

/** One metric of one server in one measurement; the change is B over A. */
export interface FigureDiff {
  readonly measurement: string;
  readonly server: TargetName;
  readonly metric: string;
  readonly a: Figure;
  readonly b: Figure;
  /** `null` from zero. */
  readonly change: number | null;
  readonly change_interval: Interval | null;
  /** `null` where one of them is unknown. */
  readonly intervals_overlap: boolean | null;
  /** The larger of the two; `null` where neither is known. */
  readonly noise_floor: number | null;
  readonly verdict: Verdict;
}

export function figuresOf(left: Measurement, right: Measurement, server: TargetName): FigureDiff[] {
  return Object.keys(left.servers[server]?.metrics ?? {}).flatMap((metric) => {
    const a = figureOf(left, server, metric);
    const b = figureOf(right, server, metric);
    if (a === null || b === null) return [];
    const change_interval = unpairedInterval(b.values, a.values);
    const intervals_overlap = overlapOf(a.figure.interval, b.figure.interval);
    const noise_floor = larger(a.noise_floor, b.noise_floor);
    return [
      {
        measurement: left.name,
        server,
        metric,
        a: a.figure,
        b: b.figure,
        change: a.figure.median === 0 ? null : b.figure.median / a.figure.median,
        change_interval,
        intervals_overlap,
        noise_floor,
        verdict: changeVerdict(a, b, change_interval, intervals_overlap, noise_floor),
      },
    ];
  });
}

export function isDifference(verdict: Verdict): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

/** Of two noise floors; `null` is not known. */
export function larger(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}

interface Found {
  readonly figure: Figure;
  readonly values: readonly number[];
  readonly noise_floor: number | null;
}

/** `null` where it was not measured. */
function figureOf(measurement: Measurement, server: TargetName, metric: string): Found | null {
  const summary = measurement.servers[server]?.metrics[metric];
  if (summary === null || summary === undefined) return null;
  const values = valuesOf(measurement, server, metric).filter((value) => value !== null);
  return {
    figure: { median: summary.median, interval: medianInterval(values) },
    values,
    noise_floor: noiseIn(measurement, metric),
  };
}

/** One value a start or round, in order: what the summary was computed from. */
function valuesOf(measurement: Measurement, server: TargetName, key: string): readonly (number | null)[] {
  const metric = METRICS.find((known) => known.key === key);
  if (metric?.from === 'starts') return measurement.servers[server]?.starts_ms ?? [];
  if (metric?.from !== 'rounds') return [];
  return measurement.rounds
    .filter((sample) => sample.target === server)
    .map((sample) => metric.value(sample));
}

/** As the result says it; where there is no comparison to say it, from the rounds, all of which must be there. */
function noiseIn(measurement: Measurement, metric: string): number | null {
  const comparison = measurement.comparison?.[metric];
  if (comparison !== null && comparison !== undefined) return comparison.noise_floor;
  const { order } = measurement;
  const values = { rs: valuesOf(measurement, 'rs', metric), ts: valuesOf(measurement, 'ts', metric) };
  const whole = TARGET_NAMES.every(
    (name) => values[name].length === order.filter((target) => target === name).length,
  );
  return whole ? noiseFloorOf(order, values) : null;
}

function overlapOf(a: Interval | null, b: Interval | null): boolean | null {
  return a === null || b === null ? null : a.low <= b.high && b.low <= a.high;
}

/** A zero among the values leaves no share to change by, but the medians may still lie apart. */
function changeVerdict(
  a: Found,
  b: Found,
  interval: Interval | null,
  overlap: boolean | null,
  noiseFloor: number | null,
): Verdict {
  const rounds = Math.min(a.values.length, b.values.length);
  const [before, after] = [a.figure.median, b.figure.median];
  if (rounds < ENOUGH_FOR_VERDICT) return 'too_few_rounds';
  if (interval !== null) return verdictOf(after / before, interval, rounds, noiseFloor);
  if (overlap !== false) return 'no_difference';
  return after > before ? 'higher' : 'lower';
}

/** Sizes are counted and not sampled: any change is one. */
export function sizesOf(a: Result, b: Result, server: TargetName): FigureDiff[] {
  const from = a.servers[server]?.deployed;
  const to = b.servers[server]?.deployed;
  if (from === undefined || to === undefined) return [];
  return (['own_bytes', 'with_runtime_bytes'] as const).map((field) => {
    const [before, after] = [from[field], to[field]];
    return {
      measurement: 'deployed',
      server,
      metric: field === 'own_bytes' ? 'deployed_bytes' : 'deployed_with_runtime_bytes',
      a: { median: before, interval: null },
      b: { median: after, interval: null },
      change: before === 0 ? null : after / before,
      change_interval: null,
      intervals_overlap: null,
      noise_floor: null,
      verdict: after === before ? 'no_difference' : after > before ? 'higher' : 'lower',
    };
  });
}
