/** Draws a ladder as an SVG file of its own, for a document on a light or a dark page. */
import * as Plot from '@observablehq/plot';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { draw, LOOKS, marksOf, plain, thousands } from '../report/html/draw.ts';
import { SHORT_NAMES } from '../report/names.ts';
import type { Climbed, RungFigures } from './climb.ts';

/** An image has no style sheet: colours that are legible on white and on black. */
const STYLE =
  'svg{--rs:#d9580d;--ts:#2f86c5;color:#808a95}text{fill:#808a95}[aria-label$="grid"]{stroke:#808a95;stroke-opacity:.25}';

/** Room for the servers' names, and the distance between two names whose dots are close, in pixels. */
const NAMES_PX = 84;
const APART_PX = { ts: -6, rs: 6 } as const;

export function ladderPlot({ title, unit, servers }: Climbed): string {
  const rungs = servers.rs.map(({ rung }) => onAxis(rung));
  const description = `CPU time per event of both servers against the number of ${unit}, both on log scales.`;
  const svg = draw(title, description, {
    marginRight: NAMES_PX,
    x: { type: 'log' },
    y: { type: 'log', label: 'CPU µs per event', ticks: 4, tickFormat: plain, grid: true },
    marks: [
      Plot.gridX(rungs),
      // The format of a logarithmic scale would leave out some rungs.
      Plot.axisX(rungs, { label: title, text: (rung: number) => rungText(rung) }),
      ...TARGET_NAMES.flatMap((name) => namedMarks(name, servers[name])),
    ],
  }).text;
  // As a file an SVG needs its namespace, a size and fonts.
  const head = '<svg xmlns="http://www.w3.org/2000/svg" width="440" height="280" ';
  return `${svg.replace('<svg ', head).replace('font-family: inherit', 'font-family: sans-serif').replace('>', `><style>${STYLE}</style>`)}\n`;
}

/** Returns a line through the medians, from the smallest to the largest value at each, and the server's name. */
function namedMarks(name: TargetName, figures: readonly RungFigures[]): Plot.Markish[] {
  const at = figures.flatMap(({ rung, cpu_us_per_event: cpu }) =>
    cpu === null ? [] : [{ x: onAxis(rung), y: cpu.median, low: cpu.min, high: cpu.max }],
  );
  const nextToDot = { dx: 9, dy: APART_PX[name], textAnchor: 'start', fill: LOOKS[name].colour } as const;
  return [
    ...marksOf(name, at),
    Plot.text(at.slice(-1), { x: 'x', y: 'y', ...nextToDot, text: () => SHORT_NAMES[name] }),
  ];
}

/** A logarithmic axis has no 0. */
function onAxis(rung: number): number {
  return Math.max(rung, 0.5);
}

/** Formats 10,000,000 as "10M". */
function rungText(value: number): string {
  if (value < 1) return '0';
  return value >= 1_000_000 ? `${plain(value / 1_000_000)}M` : thousands(value);
}
