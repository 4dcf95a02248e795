/**
 * The rows of every table: a metric, the value of each server, and their comparison.
 *
 * Invariant: a metric has a row when at least one server has a value. With only one server there is no comparison.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRICS, type Unit } from '../analyse/metrics.ts';
import type { Summary } from '../analyse/statistics.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatDelta, formatRatio, formatSummary, ratioDigits } from './format.ts';
import { labelOf, serversIn } from './names.ts';
import { type Judged, verdictText } from './verdict.ts';

export interface Row extends Judged {
  readonly unit: Unit;
  readonly summaries: Readonly<Partial<Record<TargetName, Summary | null>>>;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function rowsOf(result: Result, measurement: Measurement | undefined): Row[] {
  if (measurement === undefined) return [];
  return METRICS.flatMap(({ key, label, unit }) => {
    const found = serversIn(result).flatMap((name) => {
      const summary = measurement.servers[name]?.metrics[key];
      return summary === undefined ? [] : [[name, summary] as const];
    });
    if (found.length === 0) return [];
    const comparison = measurement.comparison?.[key] ?? null;
    return [{ key, label, unit, summaries: Object.fromEntries(found), comparison, exact: null }];
  });
}

/** Returns the rows of the deployed sizes, which no measurement contains. */
export function sizeRows(result: Result): Row[] {
  const { rs, ts } = result.servers;
  return METRICS.filter(({ from }) => from === 'deployed').map(({ key, label, unit }) => {
    const pick = key === 'deployed_bytes' ? 'own_bytes' : 'with_runtime_bytes';
    const sizes = serversIn(result).map((name) => {
      const size = result.servers[name]!.deployed[pick];
      return [name, { median: size, min: size, max: size, spread: 0, samples: 1 }] as const;
    });
    const exact = rs && ts ? rs.deployed[pick] / ts.deployed[pick] : null;
    return { key, label, unit, summaries: Object.fromEntries(sizes), comparison: null, exact };
  });
}

const HEADLINE: readonly (readonly [measurement: string, key: string, label: string])[] = [
  ['open_1000', 'server_cpu_us_per_event', 'CPU per event, 1,000/s'],
  ['open_10000', 'server_cpu_us_per_event', 'CPU per event, 10,000/s'],
  ['open_1000', 'latency_p99_ms', 'Latency p99, 1,000/s'],
  ['open_10000', 'latency_p99_ms', 'Latency p99, 10,000/s'],
];
const HEADLINE_KEYS = [
  'throughput_events_per_s',
  'server_cpu_us_per_event',
  'stream_lag_p99_ms',
  'idle_rss_bytes',
  'peak_rss_bytes',
];

/** Returns the rows of the headline: typical loads of a user, saturation, memory, start and sizes. */
export function headlineRows(result: Result): Row[] {
  const loads = HEADLINE.flatMap(([name, key, label]) =>
    rowsOf(result, measurementNamed(result, name)).flatMap((row) =>
      row.key === key ? [{ ...row, label }] : [],
    ),
  );
  // At saturation, latency only reflects the number of waiting connections. It is shown only when there is no other
  // latency.
  const keys = loads.length > 0 ? HEADLINE_KEYS : ['latency_p99_ms', ...HEADLINE_KEYS];
  return [
    ...loads,
    ...rowsOf(result, headlineOf(result)).filter(({ key }) => keys.includes(key)),
    ...rowsOf(result, measurementNamed(result, 'startup')),
    ...sizeRows(result),
  ];
}

export function isCompared(result: Result): boolean {
  return serversIn(result).length > 1;
}

/**
 * Returns a table with a column for each server. With two servers it also has the requested columns of the comparison.
 */
export function tableOf(result: Result, rows: readonly Row[], columns: readonly Column[]): Table {
  const servers = serversIn(result);
  const compared = isCompared(result) ? columns.map((column) => COMPARED[column]) : [];
  return {
    head: ['Metric', ...servers.map((name) => labelOf(result, name)), ...compared.map(([head]) => head)],
    rows: rows.map((row) => [
      row.label,
      ...servers.map((name) => formatSummary(row.summaries[name], row.unit)),
      ...compared.map(([, cell]) => cell(row)),
    ]),
  };
}

export type Column = 'delta' | 'ratio' | 'meaning';

const COMPARED: Readonly<Record<Column, readonly [head: string, cell: (row: Row) => string]>> = {
  delta: ['Delta', (row) => formatDelta(row.exact ?? row.comparison?.ratio)],
  ratio: [
    'Rust / TypeScript',
    (row) => (row.exact === null ? formatRatio(row.comparison) : ratioDigits(row.exact)),
  ],
  meaning: ['In words', verdictText],
};
