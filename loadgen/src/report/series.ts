/** Tables and lines across measurements: loads, open loop by rate, ceilings, drift, the dashboard and the generators. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import type { Unit } from '../analyse/metrics.ts';
import type { Measurement, Result } from '../result/result.ts';
import { formatMedian, formatRatio, formatValue, group, NOT_MEASURED, percent } from './format.ts';
import { COLUMNS, SHORT_NAMES, serversIn } from './names.ts';
import { isCompared, type Table } from './rows.ts';

const LOAD_KEYS = [
  ['Events/s', 'throughput_events_per_s', 'events_per_s'],
  ['CPU per event', 'server_cpu_us_per_event', 'us'],
] as const;

/** Returns a table with one row for each closed loop, for the soak and for the stream. */
export function loadsTable(result: Result): Table {
  const servers = serversIn(result);
  const isShown = ({ mode, name, contenders }: Measurement) =>
    contenders === 'product' && (['batch', 'single', 'soak'].includes(mode) || name === 'stream');
  return {
    head: [
      'Load',
      ...LOAD_KEYS.flatMap(([what]) => [
        ...servers.map((name) => `${what}, ${SHORT_NAMES[name]}`),
        ...(isCompared(result) ? ['Rust / TypeScript'] : []),
      ]),
    ],
    rows: result.measurements
      .filter(isShown)
      .map((one) => [
        one.title,
        ...LOAD_KEYS.flatMap(([, key, unit]) => [
          ...servers.map((name) =>
            formatMedian(one.servers[name]?.metrics[key], unit).replace(' events/s', ''),
          ),
          ...(isCompared(result) ? [formatRatio(one.comparison?.[key])] : []),
        ]),
      ]),
  };
}

/** Returns the open loops at fixed rates or shares, without the measurement with stream clients. */
export function openMeasurements<One extends Measurement>(result: {
  readonly measurements: readonly One[];
}): One[] {
  return result.measurements.filter(
    ({ mode, name, contenders }) => mode === 'open' && name !== 'stream' && contenders === 'product',
  );
}

export const OPEN_READING =
  'Medians of the slices. At a share of its own throughput each server is asked for another rate; only at the same rate are the two compared under the same load.';

/** Returns a table with one row per rate and server. Its verdict is that of p99. */
export function openTable(result: Result): Table {
  const servers = serversIn(result);
  const compared = isCompared(result);
  return {
    head: ['Asked', 'Server', 'Rate', 'p50', 'p99', 'p99.9', ...(compared ? ['p99, Rust / TypeScript'] : [])],
    rows: openMeasurements(result).flatMap((measurement) =>
      servers.map((name, i) => {
        const { latency_p50_ms, latency_p99_ms, latency_p99_9_ms } = measurement.servers[name]?.metrics ?? {};
        const comparison = measurement.comparison?.latency_p99_ms ?? null;
        const word = comparison?.verdict.replaceAll('_', ' ');
        const verdict = comparison === null ? '—' : `${word}: ${formatRatio(comparison)}`;
        return [
          i === 0 ? askedOf(measurement) : '',
          SHORT_NAMES[name],
          `${group(Math.round(rateAsked(measurement, name)))}/s`,
          ...[latency_p50_ms, latency_p99_ms, latency_p99_9_ms].map((one) => formatMedian(one, 'ms', '—')),
          ...(compared ? [i === 0 ? verdict : ''] : []),
        ];
      }),
    ),
  };
}

function askedOf({ workload }: Measurement): string {
  const rate = workload!.rate!;
  return rate.kind === 'fixed' ? `${group(rate.events_per_s)}/s` : `${percent(rate.share)} of own`;
}

export function rateAsked({ workload }: Measurement, name: TargetName): number {
  const rate = workload!.rate!;
  return rate.kind === 'fixed' ? rate.events_per_s : rate.events_per_s[name]!;
}

/** Returns one line for each ceiling, such as "Batches, closed loop: TypeScript 71 % and Rust 81 % of what ...". */
export function ceilingLines(result: Result): string[] {
  return result.ceilings.flatMap(({ group_events, servers: most }, index) => {
    const measurement = result.measurements.find(({ ceiling }) => ceiling === index);
    if (measurement === undefined) return [];
    const known = serversIn(result).flatMap((name) => {
      const ceiling = most[name]?.events_per_s.median ?? 0;
      const reached = measurement.servers[name]?.metrics.throughput_events_per_s?.median;
      return ceiling === 0 || reached === undefined ? [] : [{ name, ceiling, share: reached / ceiling }];
    });
    if (known.length === 0) return [];
    const shares = known.map(({ name, share }) => `${SHORT_NAMES[name]} ${percent(share)}`);
    const rates = known.map(({ ceiling }) => group(Math.round(ceiling)));
    const own = known.length > 1 ? 'their own databases take' : 'its own database takes';
    return [
      `${measurement.title}: ${shares.join(', ')} of what ${own} in bulk without HTTP ` +
        `(${rates.join(' and ')} events/s, ${group(group_events)} in a transaction).`,
    ];
  });
}

/** Returns a sentence with the ratios of both generators; none unless both ran. */
export function generatorsLines({ measurements }: Result): string[] {
  const [one, other] = ['batch', 'autocannon'].map((name) =>
    measurements.find((found) => found.name === name),
  );
  if (one?.driver?.name !== 'wrk' || other === undefined) return [];
  const ratios = ({ comparison }: Measurement) => LOAD_KEYS.map(([, key]) => formatRatio(comparison?.[key]));
  const [wrk, autocannon] = [ratios(one), ratios(other)];
  return [
    `The generator: Rust over TypeScript is ${wrk[0]} in throughput and ${wrk[1]} in CPU per event with wrk, and ` +
      `${autocannon[0]} and ${autocannon[1]} with autocannon, in the same processes.`,
  ];
}

/** Returns lines about the dashboard during a soak: number of reads and their latency. A failed read fails the run. */
export function dashboardLines({ servers }: Measurement): string[] {
  const shown = (value: number | null) => (value === null ? NOT_MEASURED : formatValue(value, 'ms'));
  return COLUMNS.flatMap((name) => {
    const reads = servers[name]?.reads;
    if (reads === undefined) return [];
    return [
      `Dashboard during the load of ${SHORT_NAMES[name]}: ${group(reads.requests)} reads, ${group(reads.failed)} failed, ` +
        `p50 ${shown(reads.p50_ms)}, p99 ${shown(reads.p99_ms)}.`,
    ];
  });
}

const DRIFT_COLUMNS: readonly (readonly [key: string, label: string, unit: Unit])[] = [
  ['rss_bytes', 'RSS', 'bytes'],
  ['cpu_share', 'CPU (share of a core)', 'share'],
  ['wal_bytes', 'Write-ahead log', 'bytes'],
  ['file_descriptors', 'File descriptors', 'count'],
  ['lag_ms', 'Runtime lag', 'ms'],
];

export function driftTable(result: Result, { servers: measured }: Measurement): Table {
  const servers = serversIn(result);
  return {
    head: ['Over time', ...servers.map((name) => SHORT_NAMES[name]), 'Tolerance'],
    rows: DRIFT_COLUMNS.flatMap(([key, label, unit]) => {
      const drifts = servers.flatMap((name) => measured[name]?.drift?.[key] ?? []);
      if (drifts.length < servers.length) return [];
      const tolerance = `${formatValue(drifts[0]!.tolerance_per_hour, unit)}/h`;
      return [[label, ...drifts.map((drift) => driftText(drift, unit)), tolerance]];
    }),
  };
}

/** Returns text such as "rising: 31.0 MiB/h [29.0 MiB, 33.0 MiB]". */
function driftText({ slope_per_hour: slope, low, high, verdict, samples }: Drift, unit: Unit): string {
  const word = verdict.replaceAll('_', ' ');
  if (slope === null || low === null || high === null) return `${word} (${group(samples)})`;
  return `${word}: ${formatValue(slope, unit)}/h [${formatValue(low, unit)}, ${formatValue(high, unit)}]`;
}
