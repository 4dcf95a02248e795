/** Renders a time series as JSON text (rules SER-01 and SER-06). */
import { SERIES } from '../figure.ts';
import { printNumber } from '../number.ts';
import { type Reached, renderMembers, scalar } from '../render.ts';
import { formatTimestamp } from '../timestamp.ts';
import { countsOf, type Durations, percentileOf } from './durations.ts';

/** The sums of one name in one bucket, in the order of the answer's members. Costs are nano-dollars. */
export type Sums = readonly number[];

/** The sums of a name, one for each bucket; without a name those of all others. */
export interface Line {
  readonly name: string | null;
  readonly sums: readonly Sums[];
  /** Durations of all buckets, when they are wanted (rule SER-06). */
  readonly durations: Durations | undefined;
}

/** A time series. */
export interface Series {
  /** The word for the length of a bucket. */
  readonly bucket: string;
  /** The name of the zone of the buckets. */
  readonly tz: string;
  /** The name of the field whose values divide the sums. */
  readonly by: string | null;
  /** The beginning of each bucket, in Unix milliseconds. */
  readonly buckets: readonly number[];
  /** The lines, largest first. */
  readonly lines: readonly Line[];
  /** How far the search came. */
  readonly reached: Reached;
  /** The beginning of the range that the series covers, in Unix milliseconds. */
  readonly since: number | undefined;
  /** Its end, exclusive. */
  readonly until: number | undefined;
}

/** Where sums stop: 2^63 (rule STA-06). */
const MOST = 2 ** 63;

export function renderSeries(series: Series): string {
  const { next, scannedTo } = series.reached;
  return renderMembers([
    ['bucket', scalar(series.bucket)],
    ['tz', scalar(series.tz)],
    ['by', scalar(series.by)],
    ['buckets', list(series.buckets, time)],
    ['series', list(series.lines, renderLine)],
    ['next', scalar(next)],
    ['scanned_to', scalar(scannedTo)],
    ['since', time(series.since)],
    ['until', time(series.until)],
  ]);
}

function renderLine({ name, sums, durations }: Line): string {
  return renderMembers([
    ['name', scalar(name)],
    ...SERIES.map(
      ({ name, divisor }, at) =>
        [name, list(sums, (of) => printNumber(Math.min(of[at]!, MOST) / divisor))] as const,
    ),
    ...(durations === undefined ? [] : renderDurations(durations)),
  ]);
}

function renderDurations(durations: Durations): readonly (readonly [name: string, json: string])[] {
  return [
    ['p50_ms', scalar(percentileOf(durations, 50))],
    ['p95_ms', scalar(percentileOf(durations, 95))],
    ['durations', list(countsOf(durations), ([ms, count]) => `[${ms},${count}]`)],
  ];
}

function time(ms: number | undefined): string {
  return ms === undefined ? 'null' : `"${formatTimestamp(ms)}"`;
}

function list<Item>(items: readonly Item[], each: (item: Item) => string): string {
  return `[${items.map(each).join(',')}]`;
}
