/**
 * The contents of a report, independent of its layout: terminal, document and HTML page show the same parts.
 *
 * Invariants: everything follows from the result. A sentence calls a server cheaper or faster only where the interval
 * of the ratio excludes 1.
 */
import { MOST_BETWEEN_HALVES } from '../analyse/statistics.ts';
import { CLAIMED } from '../analyse/warnings.ts';
import { headlineOf, measurementNamed, type Result } from '../result/result.ts';
import { commitOf, type WarningKind, warningKinds } from './conditions.ts';
import { designOf } from './design.ts';
import { group, percent } from './format.ts';
import { serversIn } from './names.ts';
import { headlineRows, type Row, type Table } from './rows.ts';
import {
  ceilingLines,
  dashboardLines,
  driftTable,
  generatorsLines,
  loadsTable,
  OPEN_READING,
  openTable,
} from './series.ts';

export interface Part {
  readonly id: 'design' | 'loads' | 'open' | 'soak';
  readonly title: string;
  readonly table: Table;
  /** Columns of the table that contain text. */
  readonly left: readonly number[];
  readonly lines: readonly string[];
}

export interface Report {
  readonly headline: readonly Row[];
  /** The measured parts in the order in which they are shown. */
  readonly parts: readonly Part[];
  /** How far the figures can be trusted: halves, intervals, generators, ceilings. */
  readonly trust: readonly string[];
  readonly caveats: readonly string[];
  readonly warnings: readonly WarningKind[];
}

export function reportOf(result: Result): Report {
  const soak = measurementNamed(result, 'soak');
  const { table: design, sentences } = designOf(result);
  const parts: Part[] = [
    { id: 'design', title: 'Design and language', table: design, left: [0], lines: sentences },
    { id: 'loads', title: 'Throughput and CPU by load', table: loadsTable(result), left: [0], lines: [] },
    {
      id: 'open',
      title: 'Open loop: latency from when a request was due',
      table: openTable(result),
      left: [0, 1],
      lines: [OPEN_READING],
    },
    ...(soak === undefined ? [] : [soakPart(result)]),
  ];
  return {
    headline: headlineRows(result),
    parts: parts.filter(({ table }) => table.rows.length > 0),
    trust: [...agreement(result), ...widths(result), ...generatorsLines(result), ...ceilingLines(result)],
    caveats: caveatsOf(result),
    warnings: warningKinds(result),
  };
}

/** Returns the drift of a soak, and how the dashboard was served meanwhile. */
export function soakPart(result: Result): Part {
  const soak = measurementNamed(result, 'soak')!;
  return {
    id: 'soak',
    title: 'Drift over the soak',
    table: driftTable(result, soak),
    left: [0],
    lines: dashboardLines(soak),
  };
}

/** Returns a sentence such as "Odd and even rounds agree within 10 % in 7 of 7 ratios of the headline." */
function agreement(result: Result): string[] {
  const halves = headlineRows(result).filter(({ comparison }) => comparison?.split_half);
  const differ = halves.filter(({ comparison }) => comparison!.split_half!.agree === false);
  const which = differ.length === 0 ? '' : ` They differ in: ${differ.map(({ label }) => label).join(', ')}.`;
  return halves.length === 0
    ? []
    : [
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
    return [`${name} ±${percent((found.high - found.low) / 2 / found.ratio)}`];
  });
  return known.length === 0
    ? []
    : [`The ratios of the closed loop are known to: ${known.join(', ')} (goal ±5 %).`];
}

function caveatsOf(result: Result): string[] {
  const { environment, measurements } = result;
  const soak = measurementNamed(result, 'soak')?.workload?.duration_s ?? null;
  const stored = measurements.map(({ audited_events, workload }) => audited_events / (workload?.rounds ?? 1));
  const rows = Math.round(Math.max(0, ...stored) / serversIn(result).length);
  return [
    `One machine with ${environment.cpu_cores} cores; another has other ratios.`,
    'A closed loop keeps the queue full; only the open loop says what a client waits.',
    'Work that a server puts off until after its last answer is in no CPU time; it shows when it stops and in its write-ahead log.',
    `The files are young: about ${group(rows)} rows say little about a hundred million.`,
    soak === null
      ? 'This run has no soak, so it says nothing about leaks. pnpm bench:soak is one.'
      : `A soak of ${Math.round(soak / 60)} min sees fast leaks, not slow ones; it has one round a server.`,
    `Figures hold for commit ${commitOf(result)}.`,
  ];
}
