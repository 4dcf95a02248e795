/** The plots of the page: figures of the open loops against the rate, and memory over time. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawMeasurement, RawResult, Result } from '../../result/result.ts';
import { formatValue } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { openMeasurements, rateAsked } from '../series.ts';
import { type Drawing, draw, LOOKS, plain, thousands } from './draw.ts';
import { html, type Markup } from './markup.ts';

const MEBIBYTE = 1024 * 1024;

/** Returns a plot of one metric of the servers against the requested rate, over all open loops. */
export function rateFigure(result: Result, key: string, noun: string, unit: 'ms' | 'µs'): Markup | null {
  const lines = serversIn(result).map((name) => {
    const points = openMeasurements(result).flatMap((measurement) => {
      const found = measurement.servers[name]?.metrics[key];
      if (!found) return [];
      return [{ x: rateAsked(measurement, name), y: found.median, low: found.min, high: found.max }];
    });
    return { name, points: points.sort((a, b) => a.x - b.x) };
  });
  if (lines.every(({ points }) => points.length === 0)) return null;
  return figureMarkup(`rate-${key.replaceAll('_', '-')}`, serversIn(result), {
    title: `${noun} by rate`,
    description: `${noun} against the events per second asked of each server, both on log scales.`,
    caption: 'Median of the slices; the upright line is minimum to maximum.',
    options: {
      x: { type: 'log', label: 'Events/s asked', ticks: 5, tickFormat: thousands, grid: true },
      y: { type: 'log', label: `${noun} (${unit})`, grid: true, ticks: 4, tickFormat: plain },
      marks: lines.flatMap(({ name, points }) => {
        const { colour, dash, symbol } = LOOKS[name];
        const at = { x: 'x', y: 'y', stroke: colour };
        return [
          Plot.ruleX(points, { x: 'x', y1: 'low', y2: 'high', stroke: colour, strokeOpacity: 0.5 }),
          Plot.lineY(points, { ...at, strokeWidth: 2, strokeDasharray: dash }),
          Plot.dot(points, { ...at, fill: colour, symbol, r: 4 }),
        ];
      }),
    },
  });
}

/** Returns a plot of the servers' memory over time, with one line for each slice. */
export function memoryFigure(result: RawResult, { name, title, slices }: RawMeasurement): Markup | null {
  const points = slices.flatMap(({ target, timeline: { t_ms, rss_bytes } }, slice) =>
    t_ms.flatMap((t, i) => {
      const bytes = rss_bytes[i] ?? null;
      return bytes === null ? [] : [{ target, slice, s: t / 1000, bytes, mebibytes: bytes / MEBIBYTE }];
    }),
  );
  if (points.length === 0) return null;
  const ranges = serversIn(result).map((server) => {
    const own = points.filter(({ target }) => target === server).map(({ bytes }) => bytes);
    const [low, high] = [Math.min(...own), Math.max(...own)].map((bytes) => formatValue(bytes, 'bytes'));
    return `${SHORT_NAMES[server]} from ${low} to ${high}.`;
  });
  return figureMarkup(`memory-${name}`, serversIn(result), {
    title: 'Memory (RSS)',
    description: `${title}: memory over time. ${ranges.join(' ')}`,
    caption: 'One line a slice.',
    options: {
      x: { label: 'Seconds since the first request', tickFormat: plain, ticks: 6 },
      y: { label: 'MiB', grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
      marks: [
        Plot.ruleY([0]),
        ...serversIn(result).map((server) =>
          Plot.lineY(points, {
            filter: ({ target }) => target === server,
            x: 's',
            y: 'mebibytes',
            z: 'slice',
            stroke: LOOKS[server].colour,
            strokeDasharray: LOOKS[server].dash,
            strokeWidth: 1.6,
          }),
        ),
      ],
    },
  });
}

/** Returns a plot with its key and its caption. Tests find it by its id. */
function figureMarkup(
  id: string,
  servers: readonly TargetName[],
  drawing: Drawing & { readonly caption: string },
): Markup {
  const key = servers.map((name) => {
    const { mark, line } = LOOKS[name];
    return html`<span class="${name}"><b aria-hidden="true">${mark}</b> ${SHORT_NAMES[name]} <small>${line}</small></span>`;
  });
  return html`<figure id="${id}">
<h3>${drawing.title}</h3>
<p class="key">${key}</p>
${draw(drawing)}
<figcaption>${drawing.caption}</figcaption>
</figure>
`;
}
