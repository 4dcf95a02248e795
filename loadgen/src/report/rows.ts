/**
 * The rows of a report, their table and their verdicts: a metric, the value of each server, and their comparison.
 *
 * Invariants: a metric has a row when at least one server has a value. With only one server there is no comparison. The
 * direction of a sentence comes from the verdict alone, so a ratio whose interval includes 1 is called no difference.
 * No sentence calls one server better.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRICS, type Unit } from '../analyse/metrics.ts';
import { type Comparison, compareRounds, type Summary, summarise, verdictOf } from '../analyse/statistics.ts';
import type { DeployedSize } from '../observe/size.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatDelta, formatInterval, formatRatio, formatSummary, percent } from './format.ts';
import { serversIn } from './names.ts';

export interface Row {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  readonly summaries: Readonly<Record<TargetName, Summary | null | undefined>>;
  readonly comparison: Comparison | null;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that contain text, if more than the first. */
  readonly left?: readonly number[];
}

/** A titled part of a report: a table, and lines about it. */
export interface Section {
  readonly title: string;
  readonly table?: Table;
  readonly lines: readonly string[];
}

/** Returns the label of a line with its colon, which may be empty, and the rest of the line. */
export function labelled(line: string): [label: string, text: string] {
  const label = /^[^:(]+(\([^)]*\))?:(?= )/.exec(line)?.[0] ?? '';
  return [label, line.slice(label.length)];
}

/** Names of the open loops, metrics and labels of the rows about a user's loads. */
const LOADS = [
  ['open_1000', 'server_cpu_us_per_event', 'CPU per event, 1,000/s'],
  ['open_10000', 'server_cpu_us_per_event', 'CPU per event, 10,000/s'],
  ['open_1000', 'latency_p99_ms', 'Latency p99, 1,000/s'],
  ['open_10000', 'latency_p99_ms', 'Latency p99, 10,000/s'],
] as const;
const SATURATED = ['idle_rss_bytes', 'peak_rss_bytes', 'throughput_events_per_s', 'server_cpu_us_per_event'];

/** Returns the rows of the headline: typical loads of a user, saturation, memory, start and sizes. */
export function headlineRows(result: Result): Row[] {
  const loads = LOADS.flatMap(([name, key, label]) =>
    metricRows(measurementNamed(result, name), [key]).map((row) => ({ ...row, label })),
  );
  // At saturation, latency only reflects the number of waiting connections. It is shown only when there is no other
  // latency.
  const latency = loads.length > 0 ? [] : ['latency_p99_ms'];
  return [
    ...loads,
    ...metricRows(headlineOf(result), [...SATURATED, ...latency, 'stream_lag_p99_ms']),
    ...metricRows(measurementNamed(result, 'startup'), ['start_ms']),
    sizeRow(result, 'own_bytes', 'deployed_bytes', 'Deployed size'),
    sizeRow(result, 'with_runtime_bytes', 'deployed_with_runtime_bytes', 'Deployed size with runtime'),
  ];
}

/** Returns a row for each metric that the measurement has. `before` is the beginning of the label. */
export function metricRows(load: Measurement | undefined, keys: readonly string[], before = ''): Row[] {
  return keys.flatMap((key) => {
    const summaries = { rs: load?.servers.rs?.metrics[key], ts: load?.servers.ts?.metrics[key] };
    if (summaries.rs === undefined && summaries.ts === undefined) return [];
    const { label, unit } = METRICS.find((metric) => metric.key === key)!;
    return [{ key, label: before + label, unit, summaries, comparison: load?.comparison?.[key] ?? null }];
  });
}

/** Returns the row of a deployed size, which no measurement contains and whose ratio is exact. */
function sizeRow({ servers }: Result, size: keyof DeployedSize, key: string, label: string): Row {
  const [rs, ts] = [servers.rs, servers.ts].map((server) => (server ? [server.deployed[size]] : []));
  const exact = compareRounds(rs!, ts!);
  const comparison = exact && { ...exact, verdict: verdictOf(exact, Number.POSITIVE_INFINITY) };
  return { key, label, unit: 'bytes', summaries: { rs: summarise(rs!), ts: summarise(ts!) }, comparison };
}

const COMPARED = {
  delta: ['Delta', ({ comparison }: Row) => formatDelta(comparison)],
  ratio: ['Rust / TypeScript', ({ comparison }: Row) => formatRatio(comparison)],
  meaning: ['In words', verdictText],
} as const;

/** Returns a table with a column for each server. With both servers it also has the columns of their comparison. */
export function tableOf(result: Result, rows: readonly Row[], ...columns: (keyof typeof COMPARED)[]): Table {
  const servers = serversIn(result);
  const compared = servers.length > 1 ? columns.map((column) => COMPARED[column]) : [];
  const labels = servers.map((name) => result.servers[name]!.label);
  const head = ['Metric', ...labels, ...compared.map(([title]) => title)];
  const cells = rows.map((row) => [
    row.label,
    ...servers.map((name) => formatSummary(row.summaries[name], row.unit)),
    ...compared.map(([, cell]) => cell(row)),
  ]);
  return { head, rows: cells, left: [0, head.indexOf('In words')] };
}

/** The sentence of each metric of the headline, with its words for "more", "less" and "n times as …" in braces. */
const SENTENCES: Readonly<Record<string, string>> = {
  start_ms: 'Rust takes {more|less|much} time to start.',
  idle_rss_bytes: 'Rust holds {more|less|much} memory when idle.',
  peak_rss_bytes: 'Rust holds {more|less|much} memory at its peak.',
  throughput_events_per_s: 'Rust takes {more|fewer|many} events per second.',
  server_cpu_us_per_event: 'Rust spends {more|less|much} CPU time on an event.',
  latency_p99_ms: 'Rust’s latency p99 is {higher|lower|high}.',
  stream_lag_p99_ms: 'Rust’s stream lag p99 is {higher|lower|high}.',
  deployed_bytes: 'Rust is {larger|smaller|large} to deploy.',
  deployed_with_runtime_bytes: 'Rust with its runtime is {larger|smaller|large} to deploy.',
};

/** Returns whether a sentence may say that the servers differ. */
export function isDifference({ comparison }: Pick<Row, 'comparison'>): boolean {
  return comparison?.verdict === 'higher' || comparison?.verdict === 'lower';
}

/** Returns whether the run has too few rounds for a verdict. */
export function isUnsure({ comparison }: Pick<Row, 'comparison'>): boolean {
  return comparison?.verdict === 'too_few_rounds';
}

/** Returns the verdict without the metric's name, such as "No difference: the interval [0.97, 1.04] holds 1." */
export function verdictText({ key, comparison }: Pick<Row, 'key' | 'comparison'>): string {
  if (comparison === null) return 'Nothing can be said.';
  const { ratio, interval } = comparison;
  if (isDifference({ comparison }))
    return SENTENCES[key]!.replace(/\{(\w+)\|(\w+)\|(\w+)\}/, (_, more, less, times) => {
      if (ratio >= 2) return `${ratio.toFixed(ratio >= 10 ? 0 : 1)} times as ${times}`;
      return `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? more : less}`;
    });
  if (isUnsure({ comparison })) return 'Too few rounds to say.';
  return interval === 'none'
    ? 'The same.'
    : `No difference: the interval ${formatInterval(comparison)} holds 1.`;
}
