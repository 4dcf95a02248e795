/**
 * The rows of a report, their table and their verdicts: a metric, the value of each server, and their comparison.
 *
 * Invariants: a metric has a row when at least one server has a value. With only one server there is no comparison. The
 * direction of a sentence comes from the verdict alone, so a ratio whose interval includes 1 is called no difference.
 * No sentence calls one server better.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRICS, type Unit } from '../analyse/metrics.ts';
import { type Comparison, type Summary, summarise, verdictOf } from '../analyse/statistics.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatDelta, formatInterval, formatRatio, formatSummary, percent } from './format.ts';
import { isCompared, serversIn } from './names.ts';

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
    sizeRow(result, 'deployed_bytes', 'own_bytes'),
    sizeRow(result, 'deployed_with_runtime_bytes', 'with_runtime_bytes'),
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

/** Returns the row of a deployed size, which no measurement contains and which is not sampled. */
function sizeRow({ servers }: Result, key: string, size: 'own_bytes' | 'with_runtime_bytes'): Row {
  const [rs, ts] = [servers.rs?.deployed[size], servers.ts?.deployed[size]];
  const summaries = {
    rs: rs === undefined ? null : summarise([rs]),
    ts: ts === undefined ? null : summarise([ts]),
  };
  const { label, unit } = METRICS.find((metric) => metric.key === key)!;
  return { key, label, unit, summaries, comparison: rs && ts ? exactly(rs / ts) : null };
}

function exactly(ratio: number): Comparison {
  const ends = { low: ratio, high: ratio };
  const verdict = verdictOf(ends, Number.POSITIVE_INFINITY);
  return { ratio, ...ends, confidence: 1, interval: 'none', split_half: null, verdict };
}

const COMPARED = {
  delta: ['Delta', ({ comparison }: Row) => formatDelta(comparison)],
  ratio: ['Rust / TypeScript', ({ comparison }: Row) => formatRatio(comparison)],
  meaning: ['In words', verdictText],
} as const;

/** Returns a table with a column for each server. With both servers it also has the columns of their comparison. */
export function tableOf(
  result: Result,
  rows: readonly Row[],
  ...columns: readonly (keyof typeof COMPARED)[]
): Table {
  const servers = serversIn(result);
  const compared = isCompared(result) ? columns.map((column) => COMPARED[column]) : [];
  const labels = servers.map((name) => result.servers[name]!.label);
  const head = ['Metric', ...labels, ...compared.map(([title]) => title)];
  const cells = (row: Row) => [
    ...servers.map((name) => formatSummary(row.summaries[name], row.unit)),
    ...compared.map(([, cell]) => cell(row)),
  ];
  return { head, rows: rows.map((row) => [row.label, ...cells(row)]), left: [0, head.indexOf('In words')] };
}

/** Words for "more", "less" and "n times as …", by the kind of quantity. */
const WORDS: Readonly<Record<string, readonly [more: string, less: string, times: string]>> = {
  many: ['more', 'fewer', 'many'],
  much: ['more', 'less', 'much'],
  high: ['higher', 'lower', 'high'],
  large: ['larger', 'smaller', 'large'],
};

/** The sentence of each metric of the headline, with the kind of quantity in braces. */
const SENTENCES: Readonly<Record<string, string>> = {
  start_ms: 'Rust takes {much} time to start.',
  idle_rss_bytes: 'Rust holds {much} memory when idle.',
  peak_rss_bytes: 'Rust holds {much} memory at its peak.',
  throughput_events_per_s: 'Rust takes {many} events per second.',
  server_cpu_us_per_event: 'Rust spends {much} CPU time on an event.',
  latency_p99_ms: 'Rust’s latency p99 is {high}.',
  stream_lag_p99_ms: 'Rust’s stream lag p99 is {high}.',
  deployed_bytes: 'Rust is {large} to deploy.',
  deployed_with_runtime_bytes: 'Rust with its runtime is {large} to deploy.',
};

/** Returns whether a sentence may say that the servers differ. */
export function isDifference({ comparison }: Pick<Row, 'key' | 'comparison'>): boolean {
  return comparison?.verdict === 'higher' || comparison?.verdict === 'lower';
}

/** Returns the verdict without the metric's name, such as "No difference: the interval [0.97, 1.04] holds 1." */
export function verdictText({ key, comparison }: Pick<Row, 'key' | 'comparison'>): string {
  if (comparison === null) return 'Nothing can be said.';
  if (isDifference({ key, comparison }))
    return SENTENCES[key]!.replace(/\{(\w+)\}/, (_, kind) => quantity(comparison.ratio, kind));
  if (comparison.verdict === 'too_few_rounds') return 'Too few rounds to say.';
  if (comparison.interval === 'none') return 'The same.';
  return `No difference: the interval ${formatInterval(comparison)} holds 1.`;
}

function quantity(ratio: number, kind: string): string {
  const [more, less, times] = WORDS[kind]!;
  if (ratio >= 2) return `${ratio.toFixed(ratio >= 10 ? 0 : 1)} times as ${times}`;
  return `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? more : less}`;
}
