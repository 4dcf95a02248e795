/** Plots of the open loops: figures against the rate. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Result } from '../../result/result.ts';
import { formatMedian, group, NOT_MEASURED } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { askedOf, openMeasurements, rateAsked } from '../series.ts';
import type { Figure } from './figure.ts';
import { logMs, thousands } from './scales.ts';
import { LOOKS } from './servers.ts';

/** Returns a plot of one metric of the servers against the requested rate, over all open loops. */
export function rateFigure(result: Result, key: string, noun: string, unit: 'ms' | 'us'): Figure[] {
  const open = openMeasurements(result);
  const servers = serversIn(result);
  const points = (name: TargetName) =>
    open
      .flatMap((measurement) => {
        const x = rateAsked(measurement, name);
        const y = measurement.servers[name]?.metrics[key];
        return x === null || !y ? [] : [{ x, y: y.median, low: y.min, high: y.max }];
      })
      .sort((a, b) => a.x - b.x);
  if (servers.every((name) => points(name).length === 0)) return [];
  return [
    {
      id: `rate-${key.replaceAll('_', '-')}`,
      title: `${noun} by rate`,
      description: `${noun} against the events per second asked of each server, both on log scales.`,
      caption: 'Median of the slices; the upright line is minimum to maximum.',
      servers,
      table: {
        head: ['Asked', ...servers.map((name) => SHORT_NAMES[name])],
        rows: open.map((measurement) => [
          askedOf(measurement),
          ...servers.map((name) => {
            const rate = rateAsked(measurement, name);
            const value = formatMedian(measurement.servers[name]?.metrics[key], unit);
            return rate === null ? NOT_MEASURED : `${value} at ${group(Math.round(rate))}/s`;
          }),
        ]),
      },
      options: {
        x: { type: 'log', label: 'Events/s asked', ticks: 5, tickFormat: thousands, grid: true },
        y: logMs(`${noun} (${unit === 'us' ? 'µs' : 'ms'})`),
        marks: servers.flatMap((name) => {
          const { colour, dash, symbol } = LOOKS[name];
          const at = { x: 'x', y: 'y', stroke: colour };
          return [
            Plot.ruleX(points(name), { x: 'x', y1: 'low', y2: 'high', stroke: colour, strokeOpacity: 0.5 }),
            Plot.lineY(points(name), { ...at, strokeWidth: 2, strokeDasharray: dash }),
            Plot.dot(points(name), { ...at, fill: colour, symbol, r: 4 }),
          ];
        }),
      },
    },
  ];
}
