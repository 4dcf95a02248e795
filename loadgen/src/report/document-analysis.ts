/**
 * The analysis of the generated document: sentences made from the figures.
 *
 * Invariants: a direction comes from a verdict. An explanation is given only where something was measured for it.
 */
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatSummary } from './format.ts';
import { bullets, markdownText } from './markdown-table.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { isCompared, type Row, rowSentence, rowsOf, sizeRows } from './rows.ts';
import { askedOf, ceilingLines, openMeasurements } from './series.ts';

export function analysis(result: Result): string {
  return [
    section('Memory', memory(result)),
    section('Throughput', throughput(result)),
    section('Latency', latency(result)),
    section('Startup', named(result, 'startup', ['start_ms'])),
    section(
      'Size',
      sizeRows(result).map((row) => line(result, row)),
    ),
  ].join('\n\n');
}

function section(title: string, lines: readonly string[]): string {
  const content = lines.length === 0 ? 'Not measured in this run.' : bullets(lines.map(markdownText));
  return `### ${title}\n\n${content}`;
}

function memory(result: Result): string[] {
  const headline = headlineOf(result);
  return [
    ...some(result, headline, ['idle_rss_bytes', 'peak_rss_bytes']),
    ...named(result, 'soak', ['peak_rss_bytes'], 'Soak'),
  ];
}

function throughput(result: Result): string[] {
  const headline = headlineOf(result);
  const keys = ['throughput_events_per_s', 'server_cpu_us_per_event'];
  return [
    ...some(result, headline, ['cold_events_per_s', ...keys]),
    ...(headline === undefined ? [] : ceilingLines(result, headline)),
    ...others(result, headline, ['single', 'power']).flatMap((measurement) => [
      ...some(result, measurement, keys, measurement.title),
      ...ceilingLines(result, measurement).map((text) => `${measurement.title}: ${text}`),
    ]),
  ];
}

function latency(result: Result): string[] {
  const headline = headlineOf(result);
  const closed = some(result, headline, ['latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms'], 'Full queue');
  const open = openMeasurements(result).flatMap((measurement) =>
    some(result, measurement, ['latency_p99_ms'], `Asked ${askedOf(measurement)}`),
  );
  return [...closed, ...open];
}

function others(result: Result, headline: Measurement | undefined, names: readonly string[]): Measurement[] {
  return names.flatMap((name) => {
    const found = measurementNamed(result, name);
    return found === undefined || found === headline ? [] : [found];
  });
}

function named(result: Result, name: string, keys: readonly string[], prefix?: string): string[] {
  return some(result, measurementNamed(result, name), keys, prefix);
}

function some(
  result: Result,
  measurement: Measurement | undefined,
  keys: readonly string[],
  prefix?: string,
): string[] {
  if (measurement === undefined) return [];
  return rowsOf(result, measurement)
    .filter((row) => keys.includes(row.key))
    .map((row) => `${prefix === undefined ? '' : `${prefix}: `}${line(result, row)}`);
}

/** "Idle RSS: TypeScript 107 MiB, Rust 7.29 MiB. Rust holds …" */
function line(result: Result, row: Row): string {
  const values = serversIn(result).map(
    (name) => `${SHORT_NAMES[name]} ${formatSummary(row.summaries[name], row.unit)}`,
  );
  return `${row.label}: ${values.join(', ')}.${isCompared(result) ? ` ${rowSentence(row)}` : ''}`;
}
