/**
 * Compares the effects of design and language: the servers of this repository, and plain ones as a tutorial would write
 * them (decision 67).
 *
 * Invariant: all four servers took the same bytes in the same run. A factor is the quotient of two medians.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Unit } from '../analyse/metrics.ts';
import { type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { formatMedian } from './format.ts';
import { SHORT_NAMES } from './names.ts';
import type { Table } from './rows.ts';

export interface Design {
  /** One row per figure, with the plain server and the product in both languages. */
  readonly table: Table;
  /** Conclusions from the four figures of a row. */
  readonly sentences: readonly string[];
}

interface Compared {
  readonly label: string;
  readonly plain: string;
  readonly product: string;
  readonly key: string;
  readonly unit: Unit;
}

const COMPARED: readonly Compared[] = [
  {
    label: 'CPU per event at 1,000/s',
    plain: 'plain_1000',
    product: 'open_1000',
    key: 'server_cpu_us_per_event',
    unit: 'us',
  },
  {
    label: 'CPU per event at 10,000/s',
    plain: 'plain_10000',
    product: 'open_10000',
    key: 'server_cpu_us_per_event',
    unit: 'us',
  },
  {
    label: 'p99 at 10,000/s',
    plain: 'plain_10000',
    product: 'open_10000',
    key: 'latency_p99_ms',
    unit: 'ms',
  },
  {
    label: 'Throughput',
    plain: 'plain_batch',
    product: 'batch',
    key: 'throughput_events_per_s',
    unit: 'events_per_s',
  },
];

const LANGUAGES: readonly TargetName[] = ['ts', 'rs'];

/** Returns the comparison; `null` without the plain servers, or with only one server. */
export function designOf(result: Result): Design | null {
  const shown = COMPARED.flatMap((compared) => {
    const [plain, product] = [compared.plain, compared.product].map((name) => measurementNamed(result, name));
    return plain === undefined || product === undefined ? [] : [{ ...compared, plain, product }];
  });
  if (shown.length === 0 || result.servers.rs === undefined || result.servers.ts === undefined) return null;
  return {
    table: {
      head: [
        '',
        ...LANGUAGES.flatMap((name) => [`${SHORT_NAMES[name]}, plain`, `${SHORT_NAMES[name]}, this server`]),
      ],
      rows: shown.map(({ label, plain, product, key, unit }) => [
        label,
        ...LANGUAGES.flatMap((name) =>
          [plain, product].map((one) => formatMedian(one.servers[name]?.metrics[key], unit)),
        ),
      ]),
    },
    sentences: shown.flatMap(({ label, plain, product, key, unit }) => {
      const value = (one: Measurement, name: TargetName) => one.servers[name]?.metrics[key]?.median ?? null;
      const cells = [value(plain, 'ts'), value(product, 'ts'), value(plain, 'rs'), value(product, 'rs')];
      if (cells.some((cell) => cell === null || cell === 0)) return [];
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
