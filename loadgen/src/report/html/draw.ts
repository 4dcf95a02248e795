/**
 * Draws a plot as inline SVG, without a browser.
 *
 * Invariants: every SVG has a title, a description and a role. It needs no script and no other file. It has no ids,
 * which could be the same as those of another plot. The same input gives the same bytes.
 */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
// @ts-expect-error: jsdom's own types would add the globals of a browser to every file of the project.
import { JSDOM } from 'jsdom';
import { group } from '../format.ts';
import { html, type Markup, trusted } from './markup.ts';

const { document } = new JSDOM('').window;

/** Size of every plot: a third of a wide page, and still readable at the width of a phone. */
const WIDTH = 440;
const HEIGHT = 280;

/**
 * Colour, shape and dash of each server in every plot. A reader can distinguish the servers without colours.
 *
 * The colours are variables of the page: blue and vermilion of Okabe and Ito, which stay distinct in the common forms
 * of colour blindness. They are lighter on a dark background. `mark` is the symbol of the server in text.
 */
export const LOOKS = {
  rs: { colour: 'var(--rs)', symbol: 'circle', mark: '●', line: 'solid', dash: 'none' },
  ts: { colour: 'var(--ts)', symbol: 'diamond2', mark: '◆', line: 'dashed', dash: '5,3' },
} as const satisfies Readonly<Record<TargetName, object>>;

/** Returns a plot. `description` is what a screen reader says about it. */
export function draw(title: string, description: string, options: Plot.PlotOptions): Markup {
  const svg = Plot.plot({
    document,
    className: 'drawn',
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 60,
    marginRight: 16,
    marginTop: 28,
    marginBottom: 44,
    ...options,
    style: { fontSize: '13px', fontFamily: 'inherit' },
  }) as { readonly outerHTML: string };
  // The page's own style sheet replaces the library's. Without a size, the plot takes the width of its place.
  const [, attributes, contents] = /^<svg (.*?)><style>.*?<\/style>(.*)$/s.exec(svg.outerHTML)!;
  const placed = attributes!.replace(/ width="\d+" height="\d+"/, '');
  return html`<svg ${trusted(placed)} role="img" aria-label="${title}"><title>${title}</title><desc>${description}</desc>${trusted(contents!)}`;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Ends of an upright line at the point. */
  readonly low?: number;
  readonly high?: number;
  /** Points of one line; by default those of one server. */
  readonly line?: number;
}

/** Returns the lines of a server, and a dot at each point with an upright line. */
export function marksOf(name: TargetName, points: readonly Point[]): Plot.Markish[] {
  const { colour: stroke, dash: strokeDasharray, symbol } = LOOKS[name];
  const withEnds = points.filter(({ low }) => low !== undefined);
  return [
    Plot.ruleX(withEnds, { x: 'x', y1: 'low', y2: 'high', stroke, strokeOpacity: 0.5 }),
    Plot.lineY(points, { x: 'x', y: 'y', z: 'line', stroke, strokeWidth: 2, strokeDasharray }),
    Plot.dot(withEnds, { x: 'x', y: 'y', stroke, fill: stroke, symbol, r: 4 }),
  ];
}

export function plain(value: number): string {
  return value >= 1000 ? group(value) : String(Number(value.toPrecision(3)));
}

/** Formats 60,000 as "60k", so that axes are narrow. */
export function thousands(value: number): string {
  return value >= 1000 ? `${plain(value / 1000)}k` : plain(value);
}
