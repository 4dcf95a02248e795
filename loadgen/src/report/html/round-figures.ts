/** Figures of slices: throughput in order, CPU per event with its spread, throughput next to the ceiling. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawMeasurement, RawResult } from '../../result/result.ts';
import { formatSummary, formatValue, NOT_MEASURED, percent } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { cpuOfCeiling, shareOfCeiling } from '../series.ts';
import type { Figure } from './figure.ts';
import { insetOf, offset, rowsOptions, shortTitle } from './measurement-rows.ts';
import { thousands } from './scales.ts';
import { LOOKS } from './servers.ts';

export function roundsFigure(result: RawResult, measurement: RawMeasurement): Figure[] {
  const rounds = measurement.slices.map(({ target, measured }, i) => ({
    round: i + 1,
    target,
    rate: (measured.received_events / measured.duration_ms) * 1000,
  }));
  if (rounds.length === 0) return [];
  const servers = serversIn(result);
  return [
    {
      id: `rounds-${measurement.name}`,
      title: `${measurement.title}: throughput by slice`,
      description: `Events per second of each slice in the order in which they ran. ${inWords(result, measurement)}`,
      caption:
        'In the order in which they ran, so that a drift of the machine shows. The axis does not begin at 0.',
      servers,
      table: {
        head: ['Slice', 'Server', 'Throughput'],
        rows: rounds.map(({ round, target, rate }) => [
          `${round}`,
          SHORT_NAMES[target],
          formatValue(rate, 'events_per_s'),
        ]),
      },
      options: {
        x: { label: 'Slice', ticks: 10, tickFormat: 'd', domain: [0.5, rounds.length + 0.5] },
        y: { label: 'Events/s', grid: true, nice: true, zero: false, tickFormat: thousands, ticks: 6 },
        marks: servers.flatMap((name) => {
          const { colour, symbol, dash } = LOOKS[name];
          const own = rounds.filter(({ target }) => target === name);
          const at = { x: 'round', y: 'rate', stroke: colour };
          return [
            Plot.lineY(own, { ...at, strokeOpacity: 0.45, strokeDasharray: dash }),
            Plot.dot(own, { ...at, fill: colour, symbol, r: 4.5 }),
          ];
        }),
      },
    },
  ];
}

interface Bar {
  readonly name: string;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Every measurement in one plot: median as a mark, minimum to maximum as a line, next to what the database takes. */
export function cpuFigure(result: RawResult): Figure[] {
  const key = 'server_cpu_us_per_event';
  const measurements = result.measurements.filter((measurement) =>
    Object.values(measurement.servers).some((server) => server.metrics[key]),
  );
  if (measurements.length === 0) return [];
  const servers = serversIn(result);
  const bars = (name: TargetName): Bar[] =>
    measurements.flatMap((measurement) => {
      const found = measurement.servers[name]?.metrics[key];
      if (!found) return [];
      return [{ name: shortTitle(measurement), low: found.min, middle: found.median, high: found.max }];
    });
  const ceilings = (name: TargetName) =>
    measurements.flatMap((measurement) => {
      const ceiling = cpuOfCeiling(result, measurement, name);
      return ceiling === null ? [] : [{ name: shortTitle(measurement), ceiling }];
    });
  const inset = insetOf(measurements.length);
  return [
    {
      id: 'cpu-per-event',
      title: 'CPU time of the server per event',
      description:
        'Microseconds of CPU time per event in each measurement, median, minimum and maximum, and of the database alone in bulk.',
      caption:
        'Mark: median; line: minimum to maximum; upright tick: the same rows in bulk through its own database code. What a noisy machine disturbs least.',
      servers,
      table: {
        head: ['RawMeasurement', ...servers.map((name) => SHORT_NAMES[name])],
        rows: measurements.map((measurement) => [
          measurement.title,
          ...servers.map((name) => {
            const own = formatSummary(measurement.servers[name]?.metrics[key], 'us');
            const ceiling = cpuOfCeiling(result, measurement, name);
            return ceiling === null ? own : `${own}, in bulk ${formatValue(ceiling, 'us')}`;
          }),
        ]),
      },
      options: {
        ...rowsOptions(measurements),
        x: { label: 'µs per event', grid: true, zero: true, ticks: 6 },
        marks: [
          Plot.ruleX([0]),
          ...servers.flatMap((name) => {
            const { colour, symbol } = LOOKS[name];
            const dy = offset(servers, name);
            return [
              Plot.ruleY(bars(name), {
                y: 'name',
                x1: 'low',
                x2: 'high',
                stroke: colour,
                strokeWidth: 2,
                dy,
              }),
              Plot.tickX(ceilings(name), {
                y: 'name',
                x: 'ceiling',
                stroke: colour,
                strokeWidth: 3,
                insetTop: inset,
                insetBottom: inset,
                dy,
              }),
              Plot.dot(bars(name), {
                y: 'name',
                x: 'middle',
                fill: colour,
                stroke: colour,
                symbol,
                r: 4,
                dy,
              }),
            ];
          }),
        ],
      },
    },
  ];
}

/** What each server took next to what its own database takes in bulk; open loops are asked, not limited. */
export function limitFigure(result: RawResult): Figure[] {
  const servers = serversIn(result);
  const measurements = result.measurements.filter(
    (measurement) =>
      measurement.driver?.model === 'closed' &&
      servers.some((name) => shareOfCeiling(result, measurement, name) !== null),
  );
  if (measurements.length === 0) return [];
  const bars = (name: TargetName): Bar[] =>
    measurements.flatMap((measurement) => {
      const share = shareOfCeiling(result, measurement, name);
      if (share === null) return [];
      const middle = measurement.servers[name]!.metrics.throughput_events_per_s!.median;
      return [{ name: shortTitle(measurement), low: middle, middle, high: middle / share }];
    });
  const inset = insetOf(measurements.length);
  return [
    {
      id: 'ceiling',
      title: 'Throughput next to its ceiling',
      description: 'Events per second of each server, and of its own database in bulk without HTTP.',
      caption:
        'Mark: the server; upright tick: the same rows in bulk through its own database code, without HTTP, parsing or checking.',
      servers,
      table: {
        head: ['RawMeasurement', ...servers.map((name) => SHORT_NAMES[name])],
        rows: measurements.map((measurement) => [
          measurement.title,
          ...servers.map((name) => {
            const share = shareOfCeiling(result, measurement, name);
            const own = formatSummary(
              measurement.servers[name]?.metrics.throughput_events_per_s,
              'events_per_s',
            );
            return share === null ? NOT_MEASURED : `${own}, ${percent(share)} of its ceiling`;
          }),
        ]),
      },
      options: {
        ...rowsOptions(measurements),
        x: { label: 'Events/s', grid: true, zero: true, tickFormat: thousands, ticks: 6 },
        marks: [
          Plot.ruleX([0]),
          ...servers.flatMap((name) => {
            const { colour, symbol, dash } = LOOKS[name];
            const dy = offset(servers, name);
            const at = { y: 'name', stroke: colour, dy };
            return [
              Plot.ruleY(bars(name), {
                ...at,
                x1: 'low',
                x2: 'high',
                strokeOpacity: 0.55,
                strokeDasharray: dash,
              }),
              Plot.tickX(bars(name), {
                ...at,
                x: 'high',
                strokeWidth: 3,
                insetTop: inset,
                insetBottom: inset,
              }),
              Plot.dot(bars(name), { ...at, x: 'middle', fill: colour, symbol, r: 4.5 }),
            ];
          }),
        ],
      },
    },
  ];
}

function inWords(result: RawResult, measurement: RawMeasurement): string {
  return serversIn(result)
    .map(
      (name) =>
        `${SHORT_NAMES[name]}: ${formatSummary(measurement.servers[name]?.metrics.throughput_events_per_s, 'events_per_s')}.`,
    )
    .join(' ');
}
