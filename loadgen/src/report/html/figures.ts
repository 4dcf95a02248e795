/** The plots of the page: figures of the open loops against the rate, and memory over time. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { headlineOf, type RawResult, type Result } from '../../result/result.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { openLoops, rateOf } from '../parts.ts';
import { draw, LOOKS, plain, thousands } from './draw.ts';
import { html, type Markup } from './markup.ts';

interface Point {
  readonly name: TargetName;
  readonly x: number;
  readonly y: number;
  /** Points of one line; by default those of one server. */
  readonly slice?: number;
  /** Ends of an upright line at the point. */
  readonly ends?: readonly [low: number, high: number];
}

/** Returns latency and CPU time by rate; none without open loops. */
export function rateFigures(result: Result): Markup[] {
  const metrics = [
    ['latency_p99_ms', 'Latency p99', 'ms'],
    ['server_cpu_us_per_event', 'CPU per event', 'µs'],
  ] as const;
  return metrics.flatMap(([key, noun, unit]) => {
    const points = serversIn(result).flatMap((name) =>
      openLoops(result).flatMap((load) => {
        const found = load.servers[name]?.metrics[key];
        if (!found) return [];
        return [{ name, x: rateOf(load, name), y: found.median, ends: [found.min, found.max] as const }];
      }),
    );
    const caption = `${noun} against the rate asked. Median of the slices; the upright line is minimum to maximum.`;
    const sorted = points.toSorted((a, b) => a.x - b.x);
    return figure(result, `${noun} by rate`, caption, sorted, {
      x: { type: 'log', label: 'Events/s asked', ticks: 5, tickFormat: thousands, grid: true },
      y: { type: 'log', label: `${noun} (${unit})`, grid: true, ticks: 4, tickFormat: plain },
    });
  });
}

/** Returns a plot of memory over time in the closed loop, with one line for each slice; none without samples. */
export function memoryFigures(result: RawResult): Markup[] {
  const { title, slices } = headlineOf(result) ?? { title: '', slices: [] };
  const points = slices.flatMap(({ target: name, timeline: { t_ms, rss_bytes } }, slice) =>
    t_ms.flatMap((t, i) => {
      const bytes = rss_bytes[i] ?? null;
      return bytes === null ? [] : [{ name, slice, x: t / 1000, y: bytes / 1024 ** 2 }];
    }),
  );
  const caption = `${title}: the process of the server alone, one line a slice.`;
  return figure(result, 'Memory (RSS)', caption, points, {
    x: { label: 'Seconds since the first request', tickFormat: plain, ticks: 6 },
    y: { label: 'MiB', grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
  });
}

/** Returns a plot with its key and its caption; none without points. */
function figure(
  result: Result,
  title: string,
  caption: string,
  points: readonly Point[],
  axes: Plot.PlotOptions,
): Markup[] {
  if (points.length === 0) return [];
  const marks = serversIn(result).flatMap((server) => {
    const { colour: stroke, dash: strokeDasharray, symbol } = LOOKS[server];
    const own = points.filter(({ name }) => name === server);
    const withEnds = own.flatMap(({ ends, ...at }) => (ends ? [{ ...at, low: ends[0], high: ends[1] }] : []));
    return [
      Plot.ruleX(withEnds, { x: 'x', y1: 'low', y2: 'high', stroke, strokeOpacity: 0.5 }),
      Plot.lineY(own, { x: 'x', y: 'y', z: 'slice', stroke, strokeWidth: 2, strokeDasharray }),
      Plot.dot(withEnds, { x: 'x', y: 'y', stroke, fill: stroke, symbol, r: 4 }),
    ];
  });
  const key = serversIn(result).map((name) => {
    const { mark, line } = LOOKS[name];
    return html`<span class="${name}"><b aria-hidden="true">${mark}</b> ${SHORT_NAMES[name]} <small>${line}</small></span>`;
  });
  const svg = draw({ title, description: caption, options: { ...axes, marks } });
  return [
    html`<figure><h3>${title}</h3><p class="key">${key}</p>${svg}<figcaption>${caption}</figcaption></figure>`,
  ];
}
