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
import type { SuiteParts } from '../result/part-file.ts';
import { headlineOf, type Result } from '../result/result.ts';
import { GOALS as RPC_GOALS } from '../rpc/goals.ts';
import { rpcGoalText } from '../rpc/report/tables.ts';
import { SYNC_GOALS } from '../sync/goals.ts';
import { formatGoal } from '../sync/report.ts';
import { formatValue } from './format.ts';
import { markdownTable } from './markdown-table.ts';

type Measured = SuiteParts & { readonly result: Result };

interface System {
  readonly name: string;
  readonly asked: string;
  /** What the external benchmark measured, and its own figure. */
  readonly measured: string;
  /** What this project measures, and with which command. */
  readonly here: string;
  of(measured: Measured, server: TargetName): string;
}

const THROUGHPUT = 'throughput_events_per_s';
const codecsGoal = titled(CODECS_GOALS, 'true raw at 10 MB');
const binaryGoal = titled(BINARY_GOALS, 'raw bytes, the fastest method');
const rpcGoal = titled(RPC_GOALS, 'one typed call in flight, the slowest of its five types');
const syncGoal = titled(SYNC_GOALS, '1,000 singles posted, durable, to the last state applied');

const SYSTEMS: readonly System[] = [
  {
    name: "agentmonitor's spike",
    asked: 'Is a Rust server better than the Node one for events of agents?',
    measured: 'one run of 20,000 events, batches of 50: 8,838 events/s Rust, 10,958 TypeScript',
    here: 'the same workload for both, in rounds, each stored row checked (pnpm bench:compare)',
    of: ({ result }, server) =>
      figure(headlineOf(result)?.servers[server]?.metrics[THROUGHPUT]?.median, 'events_per_s', formatValue),
  },
  {
    name: 'state-sync',
    asked: 'How few fetches keep a page in sync with a backend?',
    measured: '1,000 changes in memory, median of 3 runs: 59 ms to the last state applied',
    here: 'the same over HTTP, each change a request that is stored durably (pnpm bench:sync)',
    of: ({ sync }, server) => figure(sync && syncGoal.of(sync, server), syncGoal.unit, formatGoal),
  },
  {
    name: 'procwire',
    asked: 'Which codec and which transport carry messages fastest?',
    measured: 'raw at 10 MB: 9.2 MB/s, which was JSON',
    here: 'true raw bytes at 10 MB, and every format with all fields read (pnpm bench:codecs)',
    of: ({ codecs }, server) => figure(codecs && codecsGoal.of(codecs, server), codecsGoal.unit, goalText),
  },
  {
    name: 'tauri-bin-transfer-bench',
    asked: 'How does a file of 3.4 MB get into a page fastest?',
    measured: 'four methods without raw bytes, five rounds in one order: 177 ms',
    here: 'eleven methods, raw bytes among them, 30 rounds in rotated order, each result hashed (pnpm bench:binary)',
    of: ({ binary }, server) =>
      figure(binary && binaryGoal.of(binary, server), binaryGoal.unit, binaryGoalText),
  },
  {
    name: 'native-calls',
    asked: 'What does a typed call from a page to native code cost?',
    measured: 'one call in flight: 385 to 423 round trips/s, without checks',
    here: 'one call in flight over HTTP, checked on both sides; the slowest type (pnpm bench:rpc)',
    of: ({ rpc }, server) => figure(rpc && rpcGoal.of(rpc, server), rpcGoal.unit, rpcGoalText),
  },
];

export function systemsTable(measured: Measured): string {
  const head = ['System', 'What it asked', 'What it measured', 'What we measure', 'Rust', 'TypeScript'];
  const rows = SYSTEMS.map(({ name, asked, measured: found, here, of }) => {
    return [name, asked, found, here, of(measured, 'rs'), of(measured, 'ts')];
  });
  return markdownTable({ head, rows }, [0, 1, 2, 3]);
}

function figure<Unit>(
  value: number | null | undefined,
  unit: Unit,
  format: (value: number, unit: Unit) => string,
): string {
  return value === null || value === undefined ? '—' : format(value, unit);
}

function titled<T extends { readonly title: string }>(list: readonly T[], title: string): T {
  const found = list.find((one) => one.title === title);
  if (found === undefined) throw new Error(`no goal is titled ${title}`);
  return found;
}
