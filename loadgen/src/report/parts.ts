/** The measured parts of a report next to the headline: design and language, loads, open loops, and the soak. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import { DRIFTS, type Unit } from '../analyse/metrics.ts';
import { type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatValue, group, percent } from './format.ts';
import { COLUMNS, SHORT_NAMES, serversIn } from './names.ts';
import { metricRows, type Section, tableOf } from './rows.ts';

/** Labels of the rows about designs, with the names of both loads, the metric and its unit. */
const DESIGNS = [
  ['CPU per event at 1,000/s', ['plain_1000', 'open_1000'], 'server_cpu_us_per_event', 'us'],
  ['CPU per event at 10,000/s', ['plain_10000', 'open_10000'], 'server_cpu_us_per_event', 'us'],
  ['p99 at 10,000/s', ['plain_10000', 'open_10000'], 'latency_p99_ms', 'ms'],
  ['Throughput', ['plain_batch', 'batch'], 'throughput_events_per_s', 'events_per_s'],
] as const;

/**
 * Compares the effects of design and language: the servers of this repository, and plain ones as a tutorial would write
 * them (decision 67).
 *
 * Invariant: all four servers took the same bytes in the same run. The factor of a design is the quotient of two
 * medians, that of the language the ratio of neighbouring slices.
 */
export function designPart(result: Result): Section {
  const rows: string[][] = [];
  const lines: string[] = [];
  for (const [label, names, key, unit] of DESIGNS) {
    const medianOf = (load: string, name: TargetName) =>
      measurementNamed(result, load)?.servers[name]?.metrics[key]?.median ?? 0;
    const found = COLUMNS.flatMap((name) => names.map((load) => medianOf(load, name)));
    if (found.includes(0)) continue;
    const [plainTs, ts, plainRs, rs] = found as [number, number, number, number];
    // A factor above 1 is an improvement, both for throughput, which grows, and for costs, which fall.
    const times = (before: number, after: number) => {
      const factor = unit === 'events_per_s' ? after / before : before / after;
      return `${factor < 10 ? factor.toPrecision(2) : factor.toFixed(0)} times`;
    };
    rows.push([label, ...found.map((value) => formatValue(value, unit))]);
    const [plain, own] = names.map((load) => {
      const ratio = measurementNamed(result, load)?.comparison?.[key]?.ratio;
      return ratio === undefined ? 'unknown' : times(1, ratio);
    });
    lines.push(
      `${label}: the design is worth ${times(plainTs, ts)} in TypeScript and ${times(plainRs, rs)} in Rust; ` +
        `the language ${plain} between plain servers and ${own} between these.`,
    );
  }
  const head = ['', 'TypeScript, plain', 'TypeScript, this server', 'Rust, plain', 'Rust, this server'];
  return { title: 'Design and language', table: { head, rows }, lines };
}

/** Returns throughput and CPU time of each closed loop, of the soak and of the stream. */
export function loadsPart(result: Result): Section {
  const keys = ['throughput_events_per_s', 'server_cpu_us_per_event'];
  const rows = result.measurements
    .filter(({ mode, name, contenders }) => {
      return contenders === 'product' && (['batch', 'single', 'soak'].includes(mode) || name === 'stream');
    })
    .flatMap((load) => metricRows(load, keys, `${load.title}: `));
  return { title: 'Throughput and CPU by load', table: tableOf(result, rows, 'ratio'), lines: [] };
}

/** Returns the latencies at each rate. */
export function openPart(result: Result): Section {
  const rows = openLoops(result).flatMap((load) => {
    const rate = load.workload!.rate!;
    const rates = serversIn(result).map((name) => `${group(Math.round(rateOf(load, name)))}/s`);
    const asked = rate.kind === 'fixed' ? rates[0] : `${percent(rate.share)} of own (${rates.join(', ')})`;
    return metricRows(load, ['latency_p50_ms', 'latency_p99_ms'], `${asked}: `);
  });
  const reading =
    'At a share of its own throughput each server is asked for another rate. Only at the same rate are the two compared under the same load.';
  return {
    title: 'Open loop: latency from when a request was due',
    table: tableOf(result, rows, 'ratio'),
    lines: rows.length === 0 ? [] : [reading],
  };
}

/** Returns the open loops at fixed rates or shares, without the measurement with stream clients. */
export function openLoops(result: Result): Measurement[] {
  return result.measurements.filter(
    ({ mode, name, contenders }) => mode === 'open' && name !== 'stream' && contenders === 'product',
  );
}

/** Returns the rate in events/s that an open loop asks of a server. */
export function rateOf({ workload }: Measurement, name: TargetName): number {
  const { events_per_s } = workload!.rate!;
  return typeof events_per_s === 'number' ? events_per_s : events_per_s[name]!;
}

/** Returns the drift of a soak, how the dashboard was served meanwhile, and what the generator used. */
export function soakPart(result: Result, { servers: measured, generator }: Measurement): Section {
  const servers = serversIn(result);
  const rows = Object.entries(DRIFTS).flatMap(([key, { label, unit }]) => {
    const drifts = servers.flatMap((name) => measured[name]?.drift?.[key] ?? []);
    if (drifts.length < servers.length) return [];
    const tolerance = `${formatValue(drifts[0]!.tolerance_per_hour, unit)}/h`;
    return [[label, ...drifts.map((drift) => driftText(drift, unit)), tolerance]];
  });
  const dashboard = servers.flatMap((name) => {
    const reads = measured[name]?.reads;
    if (reads === undefined) return [];
    return [
      `Dashboard during the load of ${SHORT_NAMES[name]}: ${group(reads.requests)} reads, ${group(reads.failed)} failed, ` +
        `p50 ${formatValue(reads.p50_ms, 'ms')}, p99 ${formatValue(reads.p99_ms, 'ms')}.`,
    ];
  });
  return {
    title: 'Drift over the soak',
    table: { head: ['Over time', ...servers.map((name) => SHORT_NAMES[name]), 'Tolerance'], rows },
    lines: [
      'Slopes are Theil–Sen estimates with their 95 % interval, without the first third of the soak. Within the tolerance a slope is stable.',
      ...dashboard,
      `Generator: ${formatValue(generator!.cpu_us_per_event, 'us')} of CPU per event, ${percent(generator!.core_share)} of a core.`,
    ],
  };
}

/** Returns text such as "rising: 31.0 MiB/h [29.0 MiB, 33.0 MiB]". */
function driftText({ slope_per_hour: slope, low, high, verdict, samples }: Drift, unit: Unit): string {
  const word = verdict.replaceAll('_', ' ');
  if (slope === null || low === null || high === null) return `${word} (${group(samples)})`;
  return `${word}: ${formatValue(slope, unit)}/h [${formatValue(low, unit)}, ${formatValue(high, unit)}]`;
}
