/**
 * The contents of a report, independent of its layout: terminal, document and HTML page show the same parts.
 *
 * Invariants: everything follows from the result. A sentence calls a server cheaper or faster only where the interval
 * of the ratio excludes 1.
 */
import { type Comparison, MOST_BETWEEN_HALVES } from '../analyse/statistics.ts';
import { CLAIMED } from '../analyse/warnings.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { commitOf, type NamedWarning, warningsOf } from './conditions.ts';
import { type Design, designOf } from './design.ts';
import { formatMedian, formatRatio, group, percent } from './format.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { headlineRows, isCompared, type Row, type Table } from './rows.ts';
import {
  ceilingLines,
  dashboardLines,
  driftKeys,
  driftTable,
  openMeasurements,
  openTable,
} from './series.ts';

export interface Report {
  readonly headline: readonly Row[];
  readonly design: Design | null;
  /** One row for each closed loop and for the stream; `null` when there are none. */
  readonly loads: Table | null;
  readonly open: Table | null;
  readonly drift: Table | null;
  /** How far the figures can be trusted: halves, intervals, generators, ceilings. */
  readonly trust: readonly string[];
  readonly caveats: readonly string[];
  readonly warnings: readonly NamedWarning[];
}

export function reportOf(result: Result): Report {
  const soak = measurementNamed(result, 'soak');
  return {
    headline: headlineRows(result),
    design: designOf(result),
    loads: loadsOf(result),
    open: openMeasurements(result).length === 0 ? null : openTable(result),
    drift: soak === undefined || driftKeys(soak).length === 0 ? null : driftTable(result, soak),
    trust: [
      ...agreement(result),
      ...widths(result),
      ...generators(result),
      ...ceilingLines(result),
      ...(soak === undefined ? [] : dashboardLines(soak)),
    ],
    caveats: caveatsOf(result),
    warnings: warningsOf(result),
  };
}

const LOAD_KEYS = [
  ['throughput_events_per_s', 'events_per_s'],
  ['server_cpu_us_per_event', 'us'],
] as const;

function loadsOf(result: Result): Table | null {
  const servers = serversIn(result);
  const shown = result.measurements.filter(
    ({ mode, name, contenders }) =>
      contenders === 'product' &&
      (mode === 'batch' || mode === 'single' || mode === 'soak' || name === 'stream'),
  );
  if (shown.length === 0) return null;
  const compared = isCompared(result) ? ['Rust / TypeScript'] : [];
  const names = servers.map((name) => SHORT_NAMES[name]);
  return {
    head: [
      'Load',
      ...['Events/s', 'CPU per event'].flatMap((what) => [
        ...names.map((name) => `${what}, ${name}`),
        ...compared,
      ]),
    ],
    rows: shown.map((one) => [
      one.title,
      ...LOAD_KEYS.flatMap(([key, unit]) => [
        ...servers.map((name) =>
          formatMedian(one.servers[name]?.metrics[key], unit).replace(' events/s', ''),
        ),
        ...(compared.length > 0 ? [formatRatio(one.comparison?.[key])] : []),
      ]),
    ]),
  };
}

/** Returns a sentence such as "Odd and even rounds agree within 10 % in 7 of 7 ratios of the headline." */
function agreement(result: Result): string[] {
  const halves = headlineRows(result).flatMap(({ label, comparison }) =>
    comparison?.split_half ? [{ label, agree: comparison.split_half.agree }] : [],
  );
  if (halves.length === 0) return [];
  const differ = halves.filter(({ agree }) => !agree);
  const which = differ.length === 0 ? '' : ` They differ in: ${differ.map(({ label }) => label).join(', ')}.`;
  return [
    `Odd and even rounds agree within ${MOST_BETWEEN_HALVES * 100} % in ${halves.length - differ.length} of ` +
      `${halves.length} ratios of the headline.${which}`,
  ];
}

/** Returns a sentence with the widths of the closed loop's intervals for the metrics in `CLAIMED`. */
function widths(result: Result): string[] {
  const comparison = headlineOf(result)?.comparison;
  const known = CLAIMED.flatMap((key) => {
    const found = comparison?.[key];
    if (!found || found.interval === 'none') return [];
    const name = key === 'throughput_events_per_s' ? 'throughput' : 'CPU per event';
    return [`${name} ±${percent(halfWidth(found))}`];
  });
  return known.length === 0
    ? []
    : [`The ratios of the closed loop are known to: ${known.join(', ')} (goal ±5 %).`];
}

function halfWidth({ low, high, ratio }: Comparison): number {
  return (high - low) / 2 / ratio;
}

/** Returns a sentence with the ratios of both generators; none unless both ran. */
function generators(result: Result): string[] {
  const [one, other] = ['batch', 'autocannon'].map((name) => measurementNamed(result, name));
  if (one?.driver?.name !== 'wrk' || other === undefined) return [];
  const ratios = ({ comparison }: Measurement) =>
    LOAD_KEYS.map(([key]) => formatRatio(comparison?.[key])) as [string, string];
  const [wrk, autocannon] = [ratios(one), ratios(other)];
  return [
    `The generator: Rust over TypeScript is ${wrk[0]} in throughput and ${wrk[1]} in CPU per event with wrk, and ` +
      `${autocannon[0]} and ${autocannon[1]} with autocannon, in the same processes.`,
  ];
}

function caveatsOf(result: Result): string[] {
  const { environment, placement } = result;
  const soak = measurementNamed(result, 'soak')?.workload?.duration_s ?? null;
  return [
    `One machine with ${environment.cpu_cores} cores; another has other ratios.`,
    ...(placement.pinned
      ? []
      : ['Server and load generator share the cores, so that CPU per event is the sounder figure.']),
    'A closed loop keeps the queue full; only the open loop says what a client waits.',
    'Work that a server puts off until after its last answer is in no CPU time; it shows when it stops and in its write-ahead log.',
    `The files are young: about ${group(mostStored(result))} rows say little about a hundred million.`,
    soak === null
      ? 'This run has no soak, so it says nothing about leaks. pnpm bench:soak is one.'
      : `A soak of ${Math.round(soak / 60)} min sees fast leaks, not slow ones; it has one round a server.`,
    ...(serversIn(result).length < 2 ? ['One server was measured alone; nothing is compared.'] : []),
    `Figures hold for commit ${commitOf(result)}.`,
  ];
}

function mostStored(result: Result): number {
  const stored = result.measurements.map(
    ({ audited_events, workload }) => audited_events / (workload?.rounds ?? 1),
  );
  return Math.round(Math.max(0, ...stored) / Math.max(1, serversIn(result).length));
}
