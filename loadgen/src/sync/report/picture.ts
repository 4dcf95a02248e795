/**
 * The goals of the sync suite as one picture: each server's value as a share of its goal.
 *
 * It is a separate file, so it brings its own colours for light and dark mode. Invariant: every verdict is computed
 * from the result. A value beyond the right edge is drawn at the edge; its text states the value.
 */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Element, JSDOM } from 'jsdom';
import { roundGeometry } from '../../report/html/draw.ts';
import { LOOKS } from '../../report/html/servers.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf, SYNC_GOALS, type SyncGoal } from '../goals.ts';
import type { SyncResult } from '../result.ts';
import { formatGoal, mostText, syncServers } from './tables.ts';

const { document } = new JSDOM('').window;

const SVG = 'http://www.w3.org/2000/svg';

const WIDTH = 1260;
const ROW_HEIGHT = 25;
const MARGINS = { marginLeft: 580, marginRight: 410, marginTop: 40, marginBottom: 12 };
/** Offsets of the text columns from the right edge of the plot, in pixels. */
const FIRST_DX = 24;
const COLUMN_DX = 104;
/** Vertical offset of the column heads, above the plot. */
const HEAD_DY = -20;
/** Right edge of the plot, as a multiple of the goal. */
const EDGE = 2.5;

const STYLE = `svg{--rs:#c2410c;--ts:#0067a8;--ink:#16202c;--line:#b9c1cb;color:var(--ink);background:#fff;font:14px system-ui,sans-serif}
@media (prefers-color-scheme:dark){svg{--rs:#ff9e5e;--ts:#62bdf5;--ink:#e9eef4;--line:#44515f;background:#0e141b}}`;

interface Point {
  readonly title: string;
  readonly share: number;
}

/** Returns an SVG document. The same result always gives the same bytes. */
export function syncPicture(sync: SyncResult): string {
  const servers = syncServers(sync);
  const titles = SYNC_GOALS.map(({ title }) => title);
  const svg: Element = Plot.plot({
    document,
    className: 'drawn',
    width: WIDTH,
    height: MARGINS.marginTop + MARGINS.marginBottom + ROW_HEIGHT * titles.length,
    ...MARGINS,
    x: { domain: [0, EDGE], axis: null },
    y: { domain: titles, label: null, tickSize: 0, tickPadding: 12 },
    marks: [
      Plot.ruleY(titles, { y: (title: string) => title, stroke: 'var(--line)', strokeOpacity: 0.5 }),
      Plot.ruleX([1], { stroke: 'currentColor', strokeDasharray: '4 3' }),
      Plot.text(['the goal'], { x: [1], frameAnchor: 'top', dy: HEAD_DY }),
      ...servers.map((name) =>
        Plot.dot(pointsOf(sync, name), {
          x: 'share',
          y: 'title',
          r: 6,
          symbol: LOOKS[name].symbol,
          fill: LOOKS[name].colour,
          fillOpacity: 0.9,
        }),
      ),
      ...servers.flatMap((name, i) => figuresOf(sync, name, FIRST_DX + COLUMN_DX * i)),
      ...goalsOf(servers, FIRST_DX + COLUMN_DX * servers.length),
    ],
    style: { fontSize: '14px', fontFamily: 'inherit' },
  });
  svg.querySelector('style')!.textContent = STYLE;
  roundGeometry(svg);
  svg.setAttribute('xmlns', SVG);
  svg.setAttribute('role', 'img');
  const title = document.createElementNS(SVG, 'title');
  title.textContent = syncPictureText(sync);
  svg.prepend(title);
  return `${svg.outerHTML}\n`;
}

/** Returns the alternative text of the picture, for screen readers. */
export function syncPictureText(sync: SyncResult): string {
  const parts = syncServers(sync).map((name) => {
    const outcomes = SYNC_GOALS.map((goal) => outcomeOf(goal, sync, name).isReached);
    const reached = outcomes.filter((isReached) => isReached === true).length;
    return `${SHORT_NAMES[name]} reaches ${reached} of ${outcomes.length}`;
  });
  return `What each server takes of the goals of staying in sync: ${parts.join(', ')}`;
}

function pointsOf(sync: SyncResult, name: TargetName): Point[] {
  return SYNC_GOALS.flatMap((goal) => {
    const share = shareOf(goal, sync, name);
    return share === undefined ? [] : [{ title: goal.title, share: Math.min(share, EDGE) }];
  });
}

/**
 * Returns the value divided by the goal, so that 1 is the goal and less is better. `undefined` if it was not measured.
 */
function shareOf(goal: SyncGoal, sync: SyncResult, name: TargetName): number | undefined {
  const { value, most } = outcomeOf(goal, sync, name);
  if (value === undefined) return undefined;
  if (most === 0) return value === 0 ? 0 : EDGE;
  return value / most;
}

/** Returns the marks of a server's values as text, in its colour. A value that misses its goal is bold. */
function figuresOf(sync: SyncResult, name: TargetName, dx: number): Plot.Markish[] {
  const { colour, mark } = LOOKS[name];
  const shown = SYNC_GOALS.map((goal) => {
    const { value, isReached } = outcomeOf(goal, sync, name);
    const text = value === undefined ? '—' : formatGoal(value, goal.unit);
    return { title: goal.title, text, isMissed: isReached === false };
  });
  const [missed, others] = [true, false].map((isMissed) => shown.filter((one) => one.isMissed === isMissed));
  return [
    ...textAt(others!, dx, { fill: colour }),
    ...textAt(missed!, dx, { fill: colour, fontWeight: 700 }),
    headAt(`${mark} ${SHORT_NAMES[name]}`, dx, { fill: colour }),
  ];
}

/** Returns the marks of the goals as text: one goal, or one for each server if they differ. */
function goalsOf(servers: readonly TargetName[], dx: number): Plot.Markish[] {
  const shown = SYNC_GOALS.map((goal) => {
    const texts = new Set(servers.map((name) => mostText(goal, goal.most[name])));
    return { title: goal.title, text: [...texts].join(', ') };
  });
  return [...textAt(shown, dx, {}), headAt('goal', dx, {})];
}

interface Shown {
  readonly title: string;
  readonly text: string;
}

function textAt(shown: readonly Shown[], dx: number, look: Plot.TextOptions): Plot.Markish[] {
  const options = { x: () => EDGE, y: 'title', text: 'text', dx, textAnchor: 'start', ...look } as const;
  return shown.length === 0 ? [] : [Plot.text(shown, options)];
}

function headAt(text: string, dx: number, look: Plot.TextOptions): Plot.Markish {
  return Plot.text([text], { x: [EDGE], frameAnchor: 'top', dx, dy: HEAD_DY, textAnchor: 'start', ...look });
}
