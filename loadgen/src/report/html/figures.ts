/** The plots of the page: figures of the open loops against the rate, and memory over time. */
import type * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawResult, Result } from '../../result/result.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { openLoops, rateOf } from '../parts.ts';
import { draw, LOOKS, marksOf, type Point, plain, thousands } from './draw.ts';
import { html, type Markup } from './markup.ts';

/** Returns latency and CPU time by rate; none without open loops. */
export function rateFigures(result: Result): Markup[] {
  const metrics = [
    ['latency_p99_ms', 'Latency p99', 'ms'],
    ['server_cpu_us_per_event', 'CPU per event', 'µs'],
  ] as const;
  return metrics.flatMap(([key, noun, unit]) => {
    const caption = `${noun} against the rate asked. Median of the slices; the upright line is minimum to maximum.`;
    const pointsOf = (name: TargetName) =>
      openLoops(result)
        .flatMap((load) => {
          const { median: y, min: low, max: high } = load.servers[name]?.metrics[key] ?? {};
          return y === undefined ? [] : [{ x: rateOf(load, name), y, low, high } as Point];
        })
        .toSorted((a, b) => a.x - b.x);
    return figure(result, `${noun} by rate`, caption, pointsOf, {
      x: { type: 'log', label: 'Events/s asked', ticks: 5, tickFormat: thousands, grid: true },
      y: { type: 'log', label: `${noun} (${unit})`, grid: true, ticks: 4, tickFormat: plain },
    });
  });
}

/** Returns a plot of memory over time, with one line for each process of the headline; none without samples. */
export function memoryFigures(result: RawResult): Markup[] {
  const loads = result.measurements.filter(
    ({ mode, servers }) => mode === 'soak' || servers.rs?.values || servers.ts?.values,
  );
  const pointsOf = (name: TargetName) => {
    const own = loads.flatMap(({ slices }) => slices.filter(({ target }) => target === name));
    const begun_s = new Map(own.toSorted((a, b) => b.at_s - a.at_s).map(({ round, at_s }) => [round, at_s]));
    const points = own.flatMap(({ round: line, at_s, timeline: { t_ms, rss_bytes } }) =>
      rss_bytes.flatMap((bytes, i) => {
        const x = at_s - begun_s.get(line)! + t_ms[i]! / 1000;
        return bytes === null ? [] : [{ line, x, y: bytes / 1024 ** 2 }];
      }),
    );
    return points.toSorted((a, b) => a.x - b.x);
  };
  const caption = 'The process of the server alone in all of its loads. One line for each round.';
  return figure(result, 'Memory (RSS)', caption, pointsOf, {
    x: { label: 'Seconds since the first request', tickFormat: plain, ticks: 6 },
    y: { label: 'MiB', grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
  });
}

/** Returns a plot with its key and its caption; none without points. */
function figure(
  result: Result,
  title: string,
  caption: string,
  pointsOf: (name: TargetName) => readonly Point[],
  axes: Plot.PlotOptions,
): Markup[] {
  const servers = serversIn(result).map((name) => ({ name, points: pointsOf(name) }));
  if (servers.every(({ points }) => points.length === 0)) return [];
  const key = servers.map(({ name }) => {
    const { mark, line } = LOOKS[name];
    return html`<span class="${name}"><b aria-hidden="true">${mark}</b> ${SHORT_NAMES[name]} <small>${line}</small></span>`;
  });
  const svg = draw(title, caption, {
    ...axes,
    marks: servers.map(({ name, points }) => marksOf(name, points)),
  });
  return [
    html`<figure><h3>${title}</h3><p class="key">${key}</p>${svg}<figcaption>${caption}</figcaption></figure>`,
  ];
}
