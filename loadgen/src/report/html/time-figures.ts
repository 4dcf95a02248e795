/**
 * Plots of a server's resources over time: memory, CPU, write-ahead log, descriptors, event-loop lag. A soak also has
 * drifts.
 */
import * as Plot from '@observablehq/plot';
import type { Unit } from '../../analyse/metrics.ts';
import { cpuShares } from '../../observe/cpu-share.ts';
import type { Timeline } from '../../observe/sample.ts';
import type { RawMeasurement, RawResult } from '../../result/result.ts';
import { formatValue } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { driftText } from '../series.ts';
import type { Figure } from './figure.ts';
import { mebibytes, plain } from './scales.ts';
import { LOOKS } from './servers.ts';

export interface Column {
  /** Key of the drift of this column. */
  readonly key: string;
  readonly title: string;
  readonly axis: string;
  readonly unit: Unit;
  /** Returns the values in the unit of the axis; `null` where not measured. */
  values(timeline: Timeline): readonly (number | null)[];
}

const RSS: Column = {
  key: 'rss_bytes',
  title: 'Memory (RSS)',
  axis: 'MiB',
  unit: 'bytes',
  values: ({ rss_bytes }) => rss_bytes.map(scaled(mebibytes)),
};

const CPU: Column = {
  key: 'cpu_share',
  title: 'CPU',
  axis: 'Share of a core (%)',
  unit: 'count',
  values: (timeline) => cpuShares(timeline).map(scaled((share) => share * 100)),
};

const WAL: Column = {
  key: 'wal_bytes',
  title: 'Write-ahead log',
  axis: 'MiB',
  unit: 'bytes',
  values: ({ wal_bytes }) => wal_bytes.map(scaled(mebibytes)),
};

export const ROUND_COLUMNS: readonly Column[] = [RSS, CPU, WAL];

export const SOAK_COLUMNS: readonly Column[] = [
  ...ROUND_COLUMNS,
  {
    key: 'file_descriptors',
    title: 'File descriptors',
    axis: 'Open',
    unit: 'count',
    values: ({ file_descriptors }) => file_descriptors,
  },
  {
    key: 'lag_ms',
    title: 'Lag of the runtime',
    axis: 'ms for GET /livez',
    unit: 'ms',
    values: ({ lag_ms }) => lag_ms,
  },
];

/** Maximum number of points in a line. A reader could not distinguish more. */
const MOST_POINTS = 150;

interface Point {
  readonly slice: number;
  readonly s: number;
  readonly value: number;
}

export function timeFigure(result: RawResult, measurement: RawMeasurement, column: Column): Figure[] {
  const servers = serversIn(result).map((name) => {
    const own = measurement.slices.filter(({ target }) => target === name);
    return [name, own.flatMap(({ timeline }, i) => thinned(i, timeline, column))] as const;
  });
  const found = servers.filter(([, points]) => points.length > 0);
  if (found.length === 0) return [];
  const single = measurement.slices.length <= servers.length;
  const ranges = found.map(([name, points]) => {
    const values = points.map(({ value }) => value);
    return [name, Math.min(...values), Math.max(...values)] as const;
  });
  return [
    {
      id: `time-${column.key.replaceAll('_', '-')}-${measurement.name}`,
      title: column.title,
      description: `${measurement.title}: ${column.title} over time. ${ranges
        .map(
          ([name, low, high]) => `${SHORT_NAMES[name]} from ${shown(low, column)} to ${shown(high, column)}.`,
        )
        .join(' ')}`,
      caption: captionOf(
        measurement,
        column,
        found.map(([name]) => name),
        single,
      ),
      servers: found.map(([name]) => name),
      table: {
        head: ['Server', 'Lowest', 'Highest'],
        rows: ranges.map(([name, low, high]) => [SHORT_NAMES[name], shown(low, column), shown(high, column)]),
      },
      options: {
        x: { label: 'Seconds since the first request', tickFormat: plain, ticks: 6 },
        y: { label: column.axis, grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
        marks: [
          Plot.ruleY([0]),
          ...found.map(([name, points]) =>
            Plot.lineY(points, {
              x: 's',
              y: 'value',
              z: 'slice',
              stroke: LOOKS[name].colour,
              strokeDasharray: LOOKS[name].dash,
              strokeOpacity: single ? 1 : 0.5,
              strokeWidth: 1.6,
            }),
          ),
        ],
      },
    },
  ];
}

function captionOf(
  measurement: RawMeasurement,
  column: Column,
  servers: readonly ('rs' | 'ts')[],
  single: boolean,
): string {
  const drifts = servers.flatMap((name) => {
    const drift = measurement.servers[name]?.drift?.[column.key];
    return drift === undefined ? [] : [`${SHORT_NAMES[name]} ${driftText(column.key, drift)}`];
  });
  if (drifts.length > 0) return `Drift: ${drifts.join('; ')}.`;
  return single ? 'One slice a server.' : 'One line a slice.';
}

/** Returns at most `MOST_POINTS` points. Each is the mean of several consecutive samples. */
function thinned(slice: number, timeline: Timeline, column: Column): Point[] {
  const values = column.values(timeline);
  const step = Math.ceil(values.length / MOST_POINTS);
  const points: Point[] = [];
  for (let from = 0; from < values.length; from += step) {
    const kept = values.slice(from, from + step).filter((value) => value !== null);
    if (kept.length === 0) continue;
    const value = kept.reduce((sum, one) => sum + one, 0) / kept.length;
    points.push({ slice, s: timeline.t_ms[Math.min(from + step, values.length) - 1]! / 1000, value });
  }
  return points;
}

function scaled(by: (value: number) => number): (value: number | null) => number | null {
  return (value) => (value === null ? null : by(value));
}

function shown(value: number, { unit, key }: Column): string {
  if (key === CPU.key) return `${Math.round(value)} %`;
  return unit === 'bytes' ? formatValue(value * 1024 * 1024, 'bytes') : formatValue(value, unit);
}
