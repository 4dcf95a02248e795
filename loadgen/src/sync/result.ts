/**
 * The schema of a result of `bench:sync`: the part `sync` of a result, or a separate file.
 *
 * Its schema is `$defs/sync` of `loadgen/benchmark-results.schema.json`. It states its own commit, machine and
 * warnings, since it is a separate run. Invariants: a figure keeps every value that it summarises, and is absent if it was
 * not measured. Verdicts are computed from the result and never stored.
 */
import { createHistogram, type Latency, latencyOf, record } from '../analyse/histogram.ts';
import type { Unit } from '../analyse/metrics.ts';
import { type Summary, summarise } from '../analyse/statistics.ts';
import { type SuiteResult, type SuiteRow, ValuesByKey } from '../result/suite-rows.ts';

/** DATA: the title of each scenario, in the order of the document. */
export const SCENARIO_TITLES = {
  round_trip: 'Round trip: post, invalidation, snapshot, apply',
  bursts: 'Bursts of events, and what each strategy makes of them',
  slider: 'A slider, sixty events a second',
  fan_out: 'Followers during a load, a tenth of them stalled',
  full_stream: 'Clients of the full stream during a load',
  restart: 'Killed and started again, and swapped for the other server',
  page: 'The page on a full database, and during a load',
} as const;

export type ScenarioName = keyof typeof SCENARIO_TITLES;
export const SCENARIO_NAMES = Object.keys(SCENARIO_TITLES) as ScenarioName[];

export interface SyncResult extends Omit<SuiteResult<SyncRow>, 'size'> {
  readonly schema_version: 1;
  readonly seed: number;
  /** Whether this was a quick run: tiny counts, for feedback only. */
  readonly quick: boolean;
  /** The scenarios that were not measured, and why. */
  readonly skipped: readonly (Pick<SyncRow, 'scenario' | 'server'> & { readonly reason: string })[];
}

/** The figures of one server in one case of a scenario. */
export type SyncRow = SuiteRow<ScenarioName, Figures>;

/** DATA: the figures, each with unit and label, in the order of every table. */
export const FIGURES = {
  p50_ms: { unit: 'ms', label: 'p50' },
  p95_ms: { unit: 'ms', label: 'p95' },
  p99_ms: { unit: 'ms', label: 'p99' },
  max_ms: { unit: 'ms', label: 'Maximum' },
  invalidations: { unit: 'count', label: 'Invalidations' },
  fetches: { unit: 'count', label: 'Fetches' },
  not_modified: { unit: 'count', label: 'Answers 304' },
  applies: { unit: 'count', label: 'Applies' },
  fetches_of_allowed: { unit: 'count', label: 'Fetches over what a frame allows' },
  fetches_per_s: { unit: 'count', label: 'Fetches/s' },
  first_apply_ms: { unit: 'ms', label: 'First apply' },
  end_to_end_ms: { unit: 'ms', label: 'To the last apply' },
  emit_ms: { unit: 'ms', label: 'Posting' },
  warm_up_p50_ms: { unit: 'ms', label: 'Warm-up p50' },
  last_late_ms: { unit: 'ms', label: 'Last apply after the last post' },
  violations: { unit: 'count', label: 'Older states applied' },
  staleness_p50_ms: { unit: 'ms', label: 'Wait p50' },
  staleness_p99_ms: { unit: 'ms', label: 'Wait p99' },
  staleness_max_ms: { unit: 'ms', label: 'Wait maximum' },
  ingest_events_per_s: { unit: 'events_per_s', label: 'Ingest, offered' },
  ingest_p99_ms: { unit: 'ms', label: 'Ingest answer p99' },
  saturated_events_per_s: { unit: 'events_per_s', label: 'Ingest, at saturation' },
  server_cpu_ms: { unit: 'ms', label: 'Server CPU' },
  server_cpu_us_per_event: { unit: 'us', label: 'Server CPU per event' },
  server_cpu_share: { unit: 'share', label: 'Server CPU, of a core' },
  clients_cpu_share: { unit: 'share', label: 'Clients’ CPU, of a core' },
  rss_bytes: { unit: 'bytes', label: 'Server RSS' },
  notified: { unit: 'count', label: 'Frames received' },
  recovery_ms: { unit: 'ms', label: 'Ready to in sync' },
  outage_ms: { unit: 'ms', label: 'Killed to in sync' },
  open_ms: { unit: 'ms', label: 'To the first rows' },
  renderer_cpu_share: { unit: 'share', label: 'Renderer CPU, of a core' },
} as const satisfies Record<string, { readonly unit: Unit; readonly label: string }>;

export type FigureKey = keyof typeof FIGURES;
export const FIGURE_KEYS = Object.keys(FIGURES) as FigureKey[];

/** A summary with the values that it summarises, in measured order. */
export interface Figure extends Omit<Summary, 'spread'> {
  readonly unit: Unit;
  /** (max - min) / median; `null` if the values differ and their median is 0. */
  readonly spread: number | null;
  readonly values: readonly number[];
}

export type Figures = Readonly<Partial<Record<FigureKey, Figure>>>;

/** Figures of one measurement. `null` means not measured. */
export type Sample = Readonly<Partial<Record<FigureKey, number | null>>>;

/** Summarises each figure over all samples. A figure without values is absent. */
export function figuresOf(samples: readonly Sample[]): Figures {
  const values = new ValuesByKey(FIGURE_KEYS);
  for (const sample of samples) values.add(sample);
  return Object.fromEntries(
    (Object.entries(values.lists()) as [FigureKey, readonly number[]][]).map(([key, all]) => {
      const summary = summarise(all)!;
      const spread = Number.isFinite(summary.spread) ? summary.spread : null;
      return [key, { unit: FIGURES[key].unit, ...summary, spread, values: all }];
    }),
  );
}

/** Returns the percentiles of how long clients waited for a state. */
export function stalenessOf(wait: Latency | null): Sample {
  return {
    staleness_p50_ms: wait?.p50_ms ?? null,
    staleness_p99_ms: wait?.p99_ms ?? null,
    staleness_max_ms: wait?.max_ms ?? null,
  };
}

/** Returns the latency of durations in milliseconds; `null` if there are none. */
export function latencyFrom(durations_ms: readonly number[]): Latency | null {
  const histogram = createHistogram();
  for (const duration of durations_ms) record(histogram, duration);
  return latencyOf(histogram);
}
