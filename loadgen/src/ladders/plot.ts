/** Draws a ladder as an SVG file of its own, for a document on a light or a dark page. */
import * as Plot from '@observablehq/plot';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { draw, LOOKS, plain, thousands } from '../report/html/draw.ts';
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
  const svg = draw({
    title,
    description: `CPU time per event of both servers against the number of ${unit}, both on log scales.`,
    options: {
      marginRight: NAMES_PX,
      x: { type: 'log' },
      y: { type: 'log', label: 'CPU µs per event', ticks: 4, tickFormat: plain, grid: true },
      marks: [
        Plot.gridX(rungs),
        // The format of a logarithmic scale would leave out some rungs.
        Plot.axisX(rungs, { label: title, text: (rung: number) => rungText(rung) }),
        ...TARGET_NAMES.flatMap((name) => marksOf(name, servers[name])),
      ],
    },
  }).text;
  // As a file an SVG needs its namespace, a size and fonts.
  const head = '<svg xmlns="http://www.w3.org/2000/svg" width="440" height="280" ';
  return `${svg.replace('<svg ', head).replace('font-family: inherit', 'font-family: sans-serif').replace('>', `><style>${STYLE}</style>`)}\n`;
}

/** Returns a line through the medians, from the smallest to the largest value at each, and the server's name. */
function marksOf(name: TargetName, figures: readonly RungFigures[]): Plot.Markish[] {
  const at = figures.flatMap(({ rung, cpu_us_per_event: cpu }) =>
    cpu === null ? [] : [{ x: onAxis(rung), y: cpu.median, low: cpu.min, high: cpu.max }],
  );
  const { colour, dash, symbol } = LOOKS[name];
  const both = { x: 'x', y: 'y', stroke: colour };
  const nextToDot = { x: 'x', y: 'y', dx: 9, dy: APART_PX[name], textAnchor: 'start' } as const;
  return [
    Plot.ruleX(at, { x: 'x', y1: 'low', y2: 'high', stroke: colour, strokeOpacity: 0.5 }),
    Plot.lineY(at, { ...both, strokeWidth: 2, strokeDasharray: dash }),
    Plot.dot(at, { ...both, fill: colour, symbol, r: 4 }),
    Plot.text(at.slice(-1), { ...nextToDot, text: () => SHORT_NAMES[name], fill: colour }),
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
