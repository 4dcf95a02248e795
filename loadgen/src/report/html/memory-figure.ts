/** The plot of the servers' memory over time, with one line for each slice. */
import * as Plot from '@observablehq/plot';
import type { Timeline } from '../../observe/sample.ts';
import type { RawMeasurement, RawResult } from '../../result/result.ts';
import { formatValue } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import type { Figure } from './figure.ts';
import { mebibytes, plain } from './scales.ts';
import { LOOKS } from './servers.ts';

/** Maximum number of points in a line. A reader could not distinguish more. */
const MOST_POINTS = 150;

interface Point {
  readonly slice: number;
  readonly s: number;
  readonly bytes: number;
}

export function memoryFigure(result: RawResult, { name, title, slices }: RawMeasurement): Figure[] {
  const lines = serversIn(result)
    .map((server) => {
      const own = slices.filter(({ target }) => target === server);
      return { server, points: own.flatMap(({ timeline }, slice) => pointsOf(timeline, slice)) };
    })
    .filter(({ points }) => points.length > 0);
  if (lines.length === 0) return [];
  const rows = lines.map(({ server, points }) => {
    const values = points.map(({ bytes }) => bytes);
    const ends = [Math.min(...values), Math.max(...values)].map((end) => formatValue(end, 'bytes'));
    return [SHORT_NAMES[server], ...ends];
  });
  const ranges = rows.map(([server, low, high]) => `${server} from ${low} to ${high}.`);
  return [
    {
      id: `memory-${name}`,
      title: 'Memory (RSS)',
      description: `${title}: memory over time. ${ranges.join(' ')}`,
      caption: 'One line a slice.',
      servers: lines.map(({ server }) => server),
      table: { head: ['Server', 'Lowest', 'Highest'], rows },
      options: {
        x: { label: 'Seconds since the first request', tickFormat: plain, ticks: 6 },
        y: { label: 'MiB', grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
        marks: [
          Plot.ruleY([0]),
          ...lines.map(({ server, points }) =>
            Plot.lineY(points, {
              x: 's',
              y: ({ bytes }: Point) => mebibytes(bytes),
              z: 'slice',
              stroke: LOOKS[server].colour,
              strokeDasharray: LOOKS[server].dash,
              strokeWidth: 1.6,
            }),
          ),
        ],
      },
    },
  ];
}

function pointsOf({ t_ms, rss_bytes }: Timeline, slice: number): Point[] {
  const step = Math.ceil(t_ms.length / MOST_POINTS);
  return t_ms.flatMap((t, i) => {
    const bytes = rss_bytes[i] ?? null;
    return i % step > 0 || bytes === null ? [] : [{ slice, s: t / 1000, bytes }];
  });
}
