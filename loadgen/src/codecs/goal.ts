/**
 * DATA: what issue 29 asked of formats and transports, what procwire reported, and which rows of a result say it.
 *
 * Invariant: a goal is compared with a median, and a ratio is of slices of the same pairs; what was not measured is not
 * reached. Verdicts are made here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { median } from '../statistics.ts';
import { type CodecsResult, type Parameters, rowsWhere, type ScenarioName } from './codecs-result.ts';
import type { FigureKey } from './figure.ts';

export type GoalUnit = 'MB/s' | 'events/s' | 'times' | 'of JSON';

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  readonly procwire: string;
  readonly better: 'higher' | 'lower';
  /** `null`: none was set, the figure is stated. */
  readonly goal: Readonly<Record<TargetName, number | null>>;
  of(result: CodecsResult, server: TargetName): number | null;
}

type Of = Goal['of'];

const value =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters): Of =>
  (result, server) =>
    median(rowsWhere(result, scenario, server, parameters)[0]?.figures[key] ?? []);

/** Of the first over the second; `null` where either is missing. */
export function ratio(top: number | null, bottom: number | null): number | null {
  return top === null || bottom === null || bottom === 0 ? null : top / bottom;
}

const over =
  (top: Of, bottom: Of): Of =>
  (result, server) =>
    ratio(top(result, server), bottom(result, server));

/** The best, or the worst, of several that were measured. */
const extreme =
  (pick: (...values: number[]) => number, all: readonly Of[]): Of =>
  (result, server) => {
    const found = all.map((one) => one(result, server));
    return found.includes(null) ? null : pick(...(found as number[]));
  };

const both = (goal: number | null): Goal['goal'] => ({ rs: goal, ts: goal });

const raw = (size: number) => value('raw', 'mb_per_s', { size, path: 'sink' });
const jsonAt1Mb = value('raw', 'mb_per_s', { size: 1_000_000, payload: 'real', format: 'json' });
const readCpu = (format: string) =>
  value('read', 'server_cpu_us_per_event', { payload: 'real', rows: 1000, format });
const ingestCpu = (format: string, batch: number) =>
  value('ingest', 'server_cpu_us_per_event', { payload: 'real', batch, format, path: 'ingest' });
const share = (parameters: Parameters) =>
  over(value('bytes', 'bytes', parameters), value('bytes', 'json_bytes', parameters));
const BINARY = ['ndjson', 'msgpack', 'protobuf'];

function sizeGoal(title: string, parameters: Parameters, goal: number | null): Goal {
  const goals = both(goal);
  return { title, unit: 'of JSON', procwire: '0.99', better: 'lower', goal: goals, of: share(parameters) };
}

const SIZED: readonly (readonly [format: string, rows: number, goal: number])[] = [
  ['protobuf', 1000, 0.42],
  ['msgpack', 1000, 0.83],
  ['arrow', 10_000, 0.25],
];

export const GOALS: readonly Goal[] = [
  {
    title: 'true raw at 1 MB',
    unit: 'MB/s',
    procwire: '31',
    better: 'higher',
    goal: both(1000),
    of: raw(1_000_000),
  },
  {
    title: 'true raw at 10 MB',
    unit: 'MB/s',
    procwire: '9',
    better: 'higher',
    goal: both(1000),
    of: raw(10_000_000),
  },
  {
    title: 'raw against JSON at 1 MB',
    unit: 'times',
    procwire: '0.18',
    better: 'higher',
    goal: both(5),
    of: over(raw(1_000_000), jsonAt1Mb),
  },
  {
    title: 'GET of 1,000 events: server CPU of JSON over the best format',
    unit: 'times',
    procwire: '1.0 (ingest)',
    better: 'higher',
    goal: { rs: 1.5, ts: 1.3 },
    of: extreme(
      Math.max,
      [...BINARY, 'arrow'].map((format) => over(readCpu('json'), readCpu(format))),
    ),
  },
  {
    title: 'ingest CPU per event of the dearest format over JSON',
    unit: 'times',
    procwire: '—',
    better: 'lower',
    goal: both(1.3),
    of: extreme(
      Math.max,
      [50, 1000].flatMap((batch) =>
        BINARY.map((format) => over(ingestCpu(format, batch), ingestCpu('json', batch))),
      ),
    ),
  },
  ...SIZED.flatMap(([format, rows, goal]) => {
    const answer = { what: 'answer', rows, format };
    return [
      sizeGoal(`${format}: bytes of an answer, generated events`, { payload: 'small bare', ...answer }, goal),
      sizeGoal(`${format}: bytes of an answer, real events`, { payload: 'real', ...answer }, null),
    ];
  }),
  ...(['protobuf', 'msgpack'] as const).flatMap((format) => {
    const body = { what: 'body', format };
    const goal = format === 'protobuf' ? 0.42 : 0.83;
    return [
      sizeGoal(`${format}: bytes of a body, generated events`, { payload: 'small bare', ...body }, goal),
      sizeGoal(`${format}: bytes of a body, real events`, { payload: 'real', ...body }, null),
    ];
  }),
  {
    title: 'small events on one pipe, stored, the best format',
    unit: 'events/s',
    procwire: '118,000 (not stored)',
    better: 'higher',
    goal: { rs: 150_000, ts: 90_000 },
    of: extreme(
      Math.max,
      ['ndjson', 'protobuf'].map((format) => value('pipe', 'events_per_s', { format })),
    ),
  },
  {
    title: 'Arrow, 100,000 rows: encode, decode and sum, real bytes',
    unit: 'MB/s',
    procwire: '4,409 (unread bytes)',
    better: 'higher',
    goal: { rs: 1000, ts: null },
    of: value('arrow', 'mb_per_s', { schema: 'events', rows: 100_000, step: 'all' }),
  },
];

export interface Outcome {
  readonly found: number | null;
  readonly goal: number | null;
  /** Found over goal; `null` where there is none of either. */
  readonly share: number | null;
  readonly isMet: boolean | null;
}

export function outcomeOf(goal: Goal, result: CodecsResult, server: TargetName): Outcome {
  const found = goal.of(result, server);
  const wanted = goal.goal[server];
  const share = ratio(found, wanted);
  const isMet = share === null ? null : goal.better === 'higher' ? share >= 1 : share <= 1;
  return { found, goal: wanted, share, isMet };
}
