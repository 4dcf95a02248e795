/** Staying in sync: round trips by percentile, fetches of a burst by strategy, waits by number of followers. */
import * as Plot from '@observablehq/plot';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { formatMedian, formatValue, group } from '../../report/format.ts';
import type { Figure } from '../../report/html/figure.ts';
import { type Distribution, merged, percentileCurve, percentileMs } from '../../report/html/histograms.ts';
import { logMs, percentiles, plain } from '../../report/html/scales.ts';
import { LOOKS } from '../../report/html/servers.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { latencyOfTrips } from '../goals.ts';
import { rowsWhere, type SyncResult, type SyncRow } from '../result.ts';
import { STRATEGY_LABELS, type StrategyName } from '../strategies/strategy-labels.ts';
import { syncServers } from './tables.ts';

const PERCENTILES = [50, 95, 99, 99.9];

export function roundTripFigure(sync: SyncResult): Figure[] {
  const found = syncServers(sync).flatMap((name): (readonly [TargetName, Distribution])[] => {
    const encoded = latencyOfTrips(sync, name)?.histogram;
    const distribution = encoded === undefined ? null : merged([encoded]);
    return distribution === null ? [] : [[name, distribution]];
  });
  if (found.length === 0) return [];
  const at = (distribution: Distribution, percentile: number) =>
    formatValue(percentileMs(distribution, percentile), 'ms');
  return [
    {
      id: 'sync-round-trip',
      title: 'Round trip by percentile',
      description: `From the post of an event to the apply of a state that has it, against percentile. ${found
        .map(([name, one]) => `${SHORT_NAMES[name]}: median ${at(one, 50)}, 99th percentile ${at(one, 99)}.`)
        .join(' ')}`,
      caption: 'Post, invalidation, snapshot, apply; one after the other, throttle off.',
      servers: found.map(([name]) => name),
      table: {
        head: ['Server', ...PERCENTILES.map((percentile) => `${percentile} %`), 'Samples'],
        rows: found.map(([name, one]) => [
          SHORT_NAMES[name],
          ...PERCENTILES.map((percentile) => at(one, percentile)),
          group(one.histogram.totalCount),
        ]),
      },
      options: {
        x: percentiles(),
        y: logMs('Round trip (ms)'),
        marks: found.map(([name, one]) =>
          Plot.lineY(percentileCurve(one), {
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

interface FetchPoint {
  readonly events: number;
  readonly fetches: number;
  readonly label: string;
}

/** Single events, sixteen in flight: a plot a server, a line a strategy. */
export function fetchesFigure(sync: SyncResult, name: TargetName): Figure[] {
  const rows = rowsWhere(sync, 'bursts', name, { load: 'singles', concurrency: 16 }).filter(
    // What fetches nothing has no place on a log scale; the table has it.
    ({ figures }) => (figures.fetches?.median ?? 0) > 0,
  );
  if (rows.length === 0) return [];
  const labelOf = ({ parameters }: SyncRow) => STRATEGY_LABELS[parameters.strategy as StrategyName];
  const lines = Map.groupBy(rows, labelOf);
  const points = rows.map(
    (row): FetchPoint => ({
      events: Number(row.parameters.events),
      fetches: row.figures.fetches!.median,
      label: labelOf(row),
    }),
  );
  const { colour, symbol } = LOOKS[name];
  const at = { x: 'events', y: 'fetches' } as const;
  const counts = [...new Set(points.map(({ events }) => events))];
  return [
    {
      id: `sync-fetches-${name}`,
      title: `Fetches of a burst, ${SHORT_NAMES[name]}`,
      description: `Fetches against events of a burst, both on log scales. ${[...lines]
        .map(([label, own]) => {
          const last = own.at(-1)!;
          return `${label}: ${plain(last.figures.fetches!.median)} of ${group(Number(last.parameters.events))}.`;
        })
        .join(' ')}`,
      caption:
        'Single events, 16 in flight; medians. Push of every event fetches nothing and is reported of each.',
      servers: [name],
      table: {
        head: ['Strategy', ...counts.map(group)],
        rows: [...lines].map(([label, own]) => [
          label,
          ...counts.map((events) => {
            const row = own.find(({ parameters }) => parameters.events === events);
            return row === undefined ? '—' : plain(row.figures.fetches!.median);
          }),
        ]),
      },
      options: {
        marginRight: 118,
        x: { type: 'log', label: 'Events', ticks: 4, tickFormat: plain, grid: true },
        y: { type: 'log', label: 'Fetches', ticks: 4, tickFormat: plain, grid: true },
        marks: [
          Plot.lineY(points, { ...at, z: 'label', stroke: colour, strokeWidth: 1.6 }),
          Plot.dot(points, { ...at, stroke: colour, fill: colour, symbol, r: 3 }),
          Plot.text(
            points,
            Plot.selectLast({ ...at, z: 'label', text: 'label', textAnchor: 'start', dx: 8, fontSize: 12 }),
          ),
        ],
      },
    },
  ];
}

/** The p99 of healthy followers, by how many there are. */
export function waitsFigure(sync: SyncResult): Figure[] {
  const servers = syncServers(sync);
  const rowsOf = (name: TargetName) =>
    rowsWhere(sync, 'fan_out', name).filter(({ figures }) => figures.staleness_p99_ms !== undefined);
  const points = (name: TargetName) =>
    rowsOf(name).map(({ parameters, figures }) => {
      const { median, min, max } = figures.staleness_p99_ms!;
      return { x: Number(parameters.clients), y: median, low: min, high: max };
    });
  if (servers.every((name) => rowsOf(name).length === 0)) return [];
  const counts = [...new Set(servers.flatMap((name) => points(name).map(({ x }) => x)))];
  return [
    {
      id: 'sync-waits',
      title: 'Wait of followers, p99',
      description: `99th percentile of how long followers waited, against their number. ${servers
        .flatMap((name) => {
          const last = points(name).at(-1);
          return last === undefined
            ? []
            : [`${SHORT_NAMES[name]}: ${formatValue(last.y, 'ms')} of ${group(last.x)}.`];
        })
        .join(' ')}`,
      caption:
        'From the answer to a post to hearing of it, at most every 100 ms, at 10,000 events/s; a tenth never reads.',
      servers,
      table: {
        head: ['Followers', ...servers.map((name) => SHORT_NAMES[name])],
        rows: counts.map((count) => [
          group(count),
          ...servers.map((name) => {
            const row = rowsOf(name).find(({ parameters }) => parameters.clients === count);
            const figure = row?.figures.staleness_p99_ms;
            return figure === undefined ? '—' : formatMedian({ ...figure, spread: figure.spread ?? 0 }, 'ms');
          }),
        ]),
      },
      options: {
        x: { type: 'log', label: 'Followers', ticks: 4, tickFormat: plain, grid: true },
        y: { label: 'Wait p99 (ms)', grid: true, zero: true, nice: true, ticks: 5, tickFormat: plain },
        marks: [
          Plot.ruleY([0]),
          ...servers.flatMap((name) => {
            const { colour, dash, symbol } = LOOKS[name];
            const at = { x: 'x', y: 'y', stroke: colour };
            return [
              Plot.ruleX(points(name), { x: 'x', y1: 'low', y2: 'high', stroke: colour, strokeOpacity: 0.5 }),
              Plot.lineY(points(name), { ...at, strokeWidth: 2, strokeDasharray: dash }),
              Plot.dot(points(name), { ...at, fill: colour, symbol, r: 4 }),
            ];
          }),
        ],
      },
    },
  ];
}
