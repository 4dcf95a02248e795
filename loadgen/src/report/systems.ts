/**
 * The five external benchmarks that this project answers. Each has one row: what it asked, what it measured, and what
 * this project measures.
 *
 * Invariant: the figures of both servers follow from the result; what was not measured is a dash.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { GOALS as BINARY_GOALS } from '../binary/goals.ts';
import { binaryGoalText } from '../binary/report/tables.ts';
import { GOALS as CODECS_GOALS } from '../codecs/goals.ts';
import { goalText } from '../codecs/report/tables.ts';
import type { SuiteParts } from '../result/json.ts';
import { headlineOf, type Result } from '../result/result.ts';
import { GOALS as RPC_GOALS } from '../rpc/goals.ts';
import { rpcGoalText } from '../rpc/report/tables.ts';
import { SYNC_GOALS } from '../sync/goals.ts';
import { formatGoal } from '../sync/report.ts';
import { formatMedian } from './format.ts';
import { markdownTable } from './markdown-table.ts';

type Measured = SuiteParts & { readonly result: Result };
type Figure = (measured: Measured, server: TargetName) => string;

/** The figure of each row for a server, and its texts. */
const SYSTEMS: readonly (readonly [figure: Figure, ...texts: string[]])[] = [
  [
    ({ result }, server) =>
      formatMedian(headlineOf(result)?.servers[server]?.metrics.throughput_events_per_s, 'events_per_s'),
    "agentmonitor's spike",
    'Is a Rust server better than the Node one for events of agents?',
    'one run of 20,000 events, batches of 50: 8,838 events/s Rust, 10,958 TypeScript',
    'the same workload for both, in rounds, each stored row checked (pnpm bench:compare)',
  ],
  [
    ofGoal('sync', SYNC_GOALS, '1,000 singles posted, durable, to the last state applied', formatGoal),
    'state-sync',
    'How few fetches keep a page in sync with a backend?',
    '1,000 changes in memory, median of 3 runs: 59 ms to the last state applied',
    'the same over HTTP, each change a request that is stored durably (pnpm bench:sync)',
  ],
  [
    ofGoal('codecs', CODECS_GOALS, 'true raw at 10 MB', goalText),
    'procwire',
    'Which codec and which transport carry messages fastest?',
    'raw at 10 MB: 9.2 MB/s, which was JSON',
    'true raw bytes at 10 MB, and every format with all fields read (pnpm bench:codecs)',
  ],
  [
    ofGoal('binary', BINARY_GOALS, 'raw bytes, the fastest method', binaryGoalText),
    'tauri-bin-transfer-bench',
    'How does a file of 3.4 MB get into a page fastest?',
    'four methods without raw bytes, five rounds in one order: 177 ms',
    'eleven methods, raw bytes among them, 30 rounds in rotated order, each result hashed (pnpm bench:binary)',
  ],
  [
    ofGoal('rpc', RPC_GOALS, 'one typed call in flight, the slowest of its five types', rpcGoalText),
    'native-calls',
    'What does a typed call from a page to native code cost?',
    'one call in flight: 385 to 423 round trips/s, without checks',
    'one call in flight over HTTP, checked on both sides; the slowest type (pnpm bench:rpc)',
  ],
];

export function systemsTable(measured: Measured): string {
  const head = ['System', 'What it asked', 'What it measured', 'What we measure', 'Rust', 'TypeScript'];
  const rows = SYSTEMS.map(([figure, ...texts]) => [
    ...texts,
    figure(measured, 'rs'),
    figure(measured, 'ts'),
  ]);
  return markdownTable({ head, rows, left: [0, 1, 2, 3] });
}

/** Returns the figure of the goal with this title. */
function ofGoal<Name extends keyof SuiteParts, Unit>(
  name: Name,
  goals: readonly {
    readonly title: string;
    readonly unit: Unit;
    of(suite: NonNullable<SuiteParts[Name]>, server: TargetName): number | null | undefined;
  }[],
  title: string,
  format: (value: number, unit: Unit) => string,
): Figure {
  const { of, unit } = goals.find((goal) => goal.title === title)!;
  return ({ [name]: suite }, server) => {
    const value = suite && of(suite, server);
    return typeof value === 'number' ? format(value, unit) : '—';
  };
}
