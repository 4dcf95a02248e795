/** Tables and lines across measurements: open loop by rate, ceilings, drift, the generator. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import type { Unit } from '../analyse/metrics.ts';
import type { Summary } from '../analyse/statistics.ts';
import type { Measurement, Result } from '../result/result.ts';
import { formatMedian, formatRatio, formatValue, group, NOT_MEASURED, percent } from './format.ts';
import { COLUMNS, SHORT_NAMES, serversIn } from './names.ts';
import type { Table } from './rows.ts';

/** Returns the open loops at fixed rates or shares, without the measurement with stream clients. */
export function openMeasurements<One extends Measurement>(result: {
  readonly measurements: readonly One[];
}): One[] {
  return result.measurements.filter(
    ({ mode, name, contenders }) => mode === 'open' && name !== 'stream' && contenders === 'product',
  );
}

/** Explanation of the open-loop table for readers. */
export const OPEN_READING =
  'Medians of the slices. At a share of its own throughput each server is asked for another rate; only at the same rate are the two compared under the same load.';

/** Returns a table with one row per rate and server. Its verdict is that of p99. */
export function openTable(result: Result): Table {
  const servers = serversIn(result);
  const compared = servers.length > 1;
  return {
    head: ['Asked', 'Server', 'Rate', 'p50', 'p99', 'p99.9', ...(compared ? ['p99, Rust / TypeScript'] : [])],
    rows: openMeasurements(result).flatMap((measurement) =>
      servers.map((name, i) => {
        const metrics = measurement.servers[name]?.metrics ?? {};
        const comparison = measurement.comparison?.latency_p99_ms ?? null;
        const word = comparison?.verdict.replaceAll('_', ' ');
        const verdict = comparison === null ? '—' : `${word}: ${formatRatio(comparison)}`;
        return [
          i === 0 ? askedOf(measurement) : '',
          SHORT_NAMES[name],
          rateOf(measurement, name),
          cell(metrics.latency_p50_ms),
          cell(metrics.latency_p99_ms),
          cell(metrics.latency_p99_9_ms),
          ...(compared ? [i === 0 ? verdict : ''] : []),
        ];
      }),
    ),
  };
}

/** Formats a latency. A missing one is a dash, since "not measured" in three columns would not fit a terminal. */
function cell(summary: Summary | null | undefined): string {
  return summary ? formatMedian(summary, 'ms') : '—';
}

export function askedOf({ workload, name }: Measurement): string {
  const rate = workload?.rate ?? null;
  if (rate === null) return name;
  return rate.kind === 'fixed' ? `${group(rate.events_per_s)}/s` : `${percent(rate.share)} of own`;
}

/** Returns the requested rate of one server; `null` in a closed loop. */
export function rateAsked({ workload }: Measurement, name: TargetName): number | null {
  const rate = workload?.rate ?? null;
  if (rate === null) return null;
  return rate.kind === 'fixed' ? rate.events_per_s : (rate.events_per_s[name] ?? null);
}

function rateOf(measurement: Measurement, name: TargetName): string {
  const rate = rateAsked(measurement, name);
  return rate === null ? NOT_MEASURED : `${group(Math.round(rate))}/s`;
}

/** Returns the throughput as a share of the server's own ceiling; `null` without a ceiling. */
function shareOfCeiling(result: Result, measurement: Measurement, name: TargetName): number | null {
  const ceiling = measurement.ceiling === null ? undefined : result.ceilings[measurement.ceiling];
  const most = ceiling?.servers[name]?.events_per_s.median;
  const reached = measurement.servers[name]?.metrics.throughput_events_per_s?.median;
  return most === undefined || reached === undefined || most === 0 ? null : reached / most;
}

/** Returns one line for each ceiling, such as "Batches, closed loop: TypeScript 71 % and Rust 81 % of what ...". */
export function ceilingLines(result: Result): string[] {
  return result.ceilings.flatMap(({ group_events, servers: most }, index) => {
    const measurement = result.measurements.find(({ ceiling }) => ceiling === index);
    if (measurement === undefined) return [];
    const known = serversIn(result).flatMap((name) => {
      const share = shareOfCeiling(result, measurement, name);
      return share === null ? [] : [{ name, share, events_per_s: most[name]!.events_per_s.median }];
    });
    if (known.length === 0) return [];
    const shares = known.map(({ name, share }) => `${SHORT_NAMES[name]} ${percent(share)}`);
    const rates = known.map(({ events_per_s }) => group(Math.round(events_per_s)));
    const own = known.length > 1 ? 'their own databases take' : 'its own database takes';
    return [
      `${measurement.title}: ${shares.join(', ')} of what ${own} in bulk without HTTP ` +
        `(${rates.join(' and ')} events/s, ${group(group_events)} in a transaction).`,
    ];
  });
}

/** Returns lines about the dashboard during a soak: number of reads and their latency. A failed read fails the run. */
export function dashboardLines({ servers }: Measurement): string[] {
  return COLUMNS.flatMap((name) => {
    const reads = servers[name]?.reads;
    if (reads === undefined) return [];
    const shown = (value: number | null) => (value === null ? NOT_MEASURED : formatValue(value, 'ms'));
    return [
      `Dashboard during the load of ${SHORT_NAMES[name]}: ${group(reads.requests)} reads, ${group(reads.failed)} failed, ` +
        `p50 ${shown(reads.p50_ms)}, p99 ${shown(reads.p99_ms)}.`,
    ];
  });
}

/** Returns a line about the generator: CPU time per event, and its share of one core. */
export function generatorLine({ generator }: Measurement): string | null {
  if (generator === null) return null;
  const { cpu_us_per_event, core_share } = generator;
  return `Generator: ${formatValue(cpu_us_per_event, 'us')} of CPU per event, ${percent(core_share)} of a core.`;
}

/** Label and unit of each column of a timeline. */
const DRIFT_COLUMNS: Readonly<Record<string, readonly [label: string, unit: Unit]>> = {
  rss_bytes: ['RSS', 'bytes'],
  cpu_share: ['CPU (share of a core)', 'share'],
  wal_bytes: ['Write-ahead log', 'bytes'],
  file_descriptors: ['File descriptors', 'count'],
  lag_ms: ['Runtime lag', 'ms'],
};

/** Returns text such as "rising: 31.0 MiB/h [29.0 MiB, 33.0 MiB]". */
export function driftText(key: string, drift: Drift | undefined): string {
  if (drift === undefined) return NOT_MEASURED;
  const [, unit] = DRIFT_COLUMNS[key]!;
  const { slope_per_hour: slope, low, high } = drift;
  const word = drift.verdict.replaceAll('_', ' ');
  if (slope === null || low === null || high === null) return `${word} (${group(drift.samples)})`;
  return `${word}: ${formatValue(slope, unit)}/h [${formatValue(low, unit)}, ${formatValue(high, unit)}]`;
}

export function driftKeys(measurement: Measurement): string[] {
  const keys = Object.values(measurement.servers).flatMap((server) => Object.keys(server.drift ?? {}));
  return [...new Set(keys)];
}

export function driftTable(result: Result, measurement: Measurement): Table {
  const servers = serversIn(result);
  return {
    head: ['Over time', ...servers.map((name) => SHORT_NAMES[name]), 'Tolerance'],
    rows: driftKeys(measurement).map((key) => {
      const drifts = servers.map((name) => measurement.servers[name]?.drift?.[key]);
      const tolerance = drifts.find((drift) => drift !== undefined)!.tolerance_per_hour;
      const [label, unit] = DRIFT_COLUMNS[key]!;
      return [label, ...drifts.map((drift) => driftText(key, drift)), `${formatValue(tolerance, unit)}/h`];
    }),
  };
}
