/**
 * Compares the effects of design and language: the servers of this repository, and plain ones as a tutorial would write
 * them (decision 67).
 *
 * Invariant: all four servers took the same bytes in the same run. A factor is the quotient of two medians.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Unit } from '../analyse/metrics.ts';
import { measurementNamed, type Result } from '../result/result.ts';
import { formatValue, NOT_MEASURED } from './format.ts';
import { COLUMNS, SHORT_NAMES } from './names.ts';
import type { Table } from './rows.ts';

export interface Design {
  /** One row per figure, with the plain server and the product in both languages; no rows without both servers. */
  readonly table: Table;
  readonly sentences: readonly string[];
}

/** Names of the measurements end with the load, and begin with `plain_` for the plain servers. */
const COMPARED: readonly (readonly [label: string, load: string, key: string, unit: Unit])[] = [
  ['CPU per event at 1,000/s', '1000', 'server_cpu_us_per_event', 'us'],
  ['CPU per event at 10,000/s', '10000', 'server_cpu_us_per_event', 'us'],
  ['p99 at 10,000/s', '10000', 'latency_p99_ms', 'ms'],
  ['Throughput', 'batch', 'throughput_events_per_s', 'events_per_s'],
];

export function designOf(result: Result): Design {
  const head = [
    '',
    ...COLUMNS.flatMap((name) => [`${SHORT_NAMES[name]}, plain`, `${SHORT_NAMES[name]}, this server`]),
  ];
  const compared = COMPARED.flatMap(([label, load, key, unit]) => {
    const plain = measurementNamed(result, `plain_${load}`);
    const product = measurementNamed(result, load === 'batch' ? load : `open_${load}`);
    if (plain === undefined || product === undefined) return [];
    const value = (name: TargetName, one: typeof plain) => one.servers[name]?.metrics[key]?.median ?? null;
    const cells = COLUMNS.flatMap((name) => [value(name, plain), value(name, product)]);
    return [{ label, unit, cells }];
  });
  if (result.servers.rs === undefined || result.servers.ts === undefined)
    return { table: { head, rows: [] }, sentences: [] };
  return {
    table: {
      head,
      rows: compared.map(({ label, unit, cells }) => [
        label,
        ...cells.map((cell) => (cell === null ? NOT_MEASURED : formatValue(cell, unit))),
      ]),
    },
    sentences: compared.flatMap(({ label, unit, cells }) => {
      if (cells.includes(null)) return [];
      const [plainTs, ts, plainRs, rs] = cells as [number, number, number, number];
      // A factor above 1 is an improvement, both for throughput, which grows, and for costs, which fall.
      const factor = (worse: number, better: number) =>
        times(unit === 'events_per_s' ? better / worse : worse / better);
      return [
        `${label}: the design is worth ${factor(plainTs, ts)} in TypeScript and ${factor(plainRs, rs)} in Rust; ` +
          `the language ${factor(plainTs, plainRs)} between plain servers and ${factor(ts, rs)} between these.`,
      ];
    }),
  };
}

function times(factor: number): string {
  return `${factor < 10 ? factor.toPrecision(2) : factor.toFixed(0)} times`;
}
