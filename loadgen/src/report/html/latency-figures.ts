/** Latency: distributions, percentile curves, and latency against rate. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawMeasurement, RawResult } from '../../result/result.ts';
import { formatMedian, formatValue, group, NOT_MEASURED } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import type { Table } from '../rows.ts';
import { askedOf, openMeasurements, rateAsked } from '../series.ts';
import { capital } from '../verdict.ts';
import type { Figure } from './figure.ts';
import { type Distribution, merged, percentileCurve, percentileMs, shares } from './histograms.ts';
import { logMs, percentiles, thousands } from './scales.ts';
import { LOOKS } from './servers.ts';

export interface Kind {
  readonly id: string;
  readonly noun: string;
  /** The histograms of one server. */
  encoded(measurement: RawMeasurement, name: TargetName): string[];
}

export const REQUEST: Kind = {
  id: 'latency',
  noun: 'latency',
  encoded: ({ slices }, name) =>
    slices.flatMap(({ target, measured }) => (target === name ? (measured.latency?.histogram ?? []) : [])),
};

export const STREAM: Kind = {
  id: 'stream-lag',
  noun: 'stream lag',
  encoded: ({ processes }, name) =>
    processes.flatMap(({ target, stream }) => (target === name ? (stream?.lag?.histogram ?? []) : [])),
};

type Merged = readonly (readonly [TargetName, Distribution])[];

function distributions(result: RawResult, measurement: RawMeasurement, kind: Kind): Merged {
  return serversIn(result).flatMap((name) => {
    const distribution = merged(kind.encoded(measurement, name));
    return distribution === null ? [] : [[name, distribution] as const];
  });
}

export function distributionFigure(result: RawResult, measurement: RawMeasurement, kind: Kind): Figure[] {
  const found = distributions(result, measurement, kind);
  if (found.length === 0) return [];
  return [
    {
      id: `${kind.id}-distribution-${measurement.name}`,
      title: titleOf(measurement, kind),
      description: `${measurement.title}: share of requests by ${kind.noun} on a log scale. ${inWords(found)}`,
      caption: `All slices merged; the upright line is the median. ${origin(measurement, kind)}`,
      servers: found.map(([name]) => name),
      table: percentileTable(found),
      options: {
        x: logMs(`${capital(kind.noun)} (ms)`),
        y: { label: 'Share (%)', grid: true, percent: true, ticks: 5 },
        marks: [
          Plot.ruleY([0]),
          ...found.flatMap(([name, distribution]) => {
            const { colour, dash } = LOOKS[name];
            const points = shares(distribution);
            const at = { x: 'x', y: 'y', curve: 'monotone-x' } as const;
            return [
              Plot.areaY(points, { ...at, fill: colour, fillOpacity: 0.16 }),
              Plot.lineY(points, { ...at, stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
              Plot.ruleX([percentileMs(distribution, 50)], { stroke: colour, strokeDasharray: dash }),
            ];
          }),
        ],
      },
    },
  ];
}

export function percentileFigure(result: RawResult, measurement: RawMeasurement, kind: Kind): Figure[] {
  const found = distributions(result, measurement, kind);
  if (found.length === 0) return [];
  return [
    {
      id: `${kind.id}-percentiles-${measurement.name}`,
      title: `${titleOf(measurement, kind)} by percentile`,
      description: `${measurement.title}: ${kind.noun} against percentile, both on log scales. ${inWords(found)}`,
      caption: origin(measurement, kind),
      servers: found.map(([name]) => name),
      table: percentileTable(found),
      options: {
        x: percentiles(),
        y: logMs(`${capital(kind.noun)} (ms)`),
        marks: found.map(([name, distribution]) =>
          Plot.lineY(percentileCurve(distribution), {
            x: 'x',
            y: 'y',
            stroke: LOOKS[name].colour,
            strokeWidth: 2,
            strokeDasharray: LOOKS[name].dash,
          }),
        ),
      },
    },
  ];
}

/** One plot of a percentile against what was asked, over all open loops. */
export function rateFigure(result: RawResult, key: string, noun: string): Figure[] {
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
      title: `${noun} against rate, open loop`,
      description: `${noun} in milliseconds against the events per second asked of each server, both on log scales.`,
      caption: `Counted from the moment a request was due. Median of the slices; the upright line is minimum to maximum.`,
      servers,
      table: {
        head: ['Asked', ...servers.map((name) => SHORT_NAMES[name])],
        rows: open.map((measurement) => [
          askedOf(measurement),
          ...servers.map((name) => {
            const rate = rateAsked(measurement, name);
            const value = formatMedian(measurement.servers[name]?.metrics[key], 'ms');
            return rate === null ? NOT_MEASURED : `${value} at ${group(Math.round(rate))}/s`;
          }),
        ]),
      },
      options: {
        x: { type: 'log', label: 'Events/s asked', ticks: 5, tickFormat: thousands, grid: true },
        y: logMs(`${noun} (ms)`),
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

/** Short, since the section says the rest. */
function titleOf(measurement: RawMeasurement, kind: Kind): string {
  const rate = measurement.workload?.rate ?? null;
  if (kind === STREAM) return capital(kind.noun);
  if (rate === null) return `${measurement.title}: ${kind.noun}`;
  return `${capital(kind.noun)} at ${askedOf(measurement)}${rate.kind === 'share' ? ' throughput' : ''}`;
}

function percentileTable(found: Merged): Table {
  const columns = [50, 90, 99, 99.9, 99.99];
  return {
    head: ['Server', ...columns.map((percentile) => `${percentile} %`), 'Maximum', 'Samples'],
    rows: found.map(([name, distribution]) => [
      SHORT_NAMES[name],
      ...columns.map((percentile) => formatValue(percentileMs(distribution, percentile), 'ms')),
      formatValue(distribution.histogram.maxValue / 1000, 'ms'),
      group(distribution.histogram.totalCount),
    ]),
  };
}

function inWords(found: Merged): string {
  return found
    .map(
      ([name, distribution]) =>
        `${SHORT_NAMES[name]}: median ${formatValue(percentileMs(distribution, 50), 'ms')}, ` +
        `99th percentile ${formatValue(percentileMs(distribution, 99), 'ms')}.`,
    )
    .join(' ');
}

function origin(measurement: RawMeasurement, kind: Kind): string {
  if (kind === STREAM) return 'From the transaction of a row to the arrival of its frame at a client.';
  if (measurement.driver?.latency_from === 'due')
    return 'Open loop: counted from the moment a request was due.';
  return measurement.driver?.model === 'open'
    ? 'Open loop: counted from the writing of a request.'
    : 'Closed loop: latency under a full queue, not what a client of an idle server sees.';
}
