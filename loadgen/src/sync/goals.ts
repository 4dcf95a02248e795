/**
 * DATA: the goals of the sync suite, and how each is computed from the rows of a result.
 *
 * Invariants: a goal is compared with a median, or with the largest of several medians if its title contains "worst" or
 * "slower". A goal that was not measured is not reached.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { FigureKey } from './figure.ts';
import {
  type Parameters,
  type Percentiles,
  rowsWhere,
  type ScenarioName,
  type SyncResult,
  type SyncRow,
} from './result.ts';

export type GoalUnit = 'ms' | 'share' | 'of it' | 'per s' | 'count';

export interface SyncGoal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** The largest value that reaches the goal, by server. */
  readonly most: Readonly<Record<TargetName, number>>;
  /** Returns the value of a server; `undefined` if it was not measured. */
  of(sync: SyncResult, server: TargetName): number | undefined;
}

/** The value of one server, and whether it reaches the goal. */
export interface Outcome {
  readonly value: number | undefined;
  readonly most: number;
  /** `undefined` if it was not measured. */
  readonly isReached: boolean | undefined;
}

export function outcomeOf(goal: SyncGoal, sync: SyncResult, server: TargetName): Outcome {
  const value = goal.of(sync, server);
  const most = goal.most[server];
  if (value === undefined) return { value, most, isReached: undefined };
  return { value, most, isReached: value <= most };
}

type Of = SyncGoal['of'];

const medians = (rows: readonly SyncRow[], key: FigureKey): number[] =>
  rows.flatMap(({ figures }) => figures[key]?.median ?? []);

/** Returns the median of the one row with these parameters. */
const median =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters = {}): Of =>
  (sync, server) =>
    medians(rowsWhere(sync, scenario, server, parameters), key)[0];

const worst =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters): Of =>
  (sync, server) => {
    const found = medians(rowsWhere(sync, scenario, server, parameters), key);
    return found.length === 0 ? undefined : Math.max(...found);
  };

const tripAt =
  (key: 'p50_ms' | 'p95_ms' | 'p99_ms'): Of =>
  (sync, server) =>
    latencyOfTrips(sync, server)?.[key];

/** The pace of the round trips that the goals are about: without a throttle, posted over a plain socket. */
export const BACK_TO_BACK = 'throttle off, back to back';

/** Returns the latency of the round trips with that pace. */
export function latencyOfTrips(sync: SyncResult, server: TargetName): Percentiles | null | undefined {
  return rowsWhere(sync, 'round_trip', server, { pace: BACK_TO_BACK })[0]?.latency;
}

/** Returns the share of a figure that is lost with 1,000 followers, compared with no followers. At least 0. */
const costOf =
  (key: FigureKey): Of =>
  (sync, server) => {
    const [during] = medians(rowsWhere(sync, 'fan_out', server, CROWD), key);
    const [without] = medians(rowsWhere(sync, 'fan_out', server, { clients: 0 }), key);
    return without === undefined || during === undefined ? undefined : Math.max(0, 1 - during / without);
  };

/** Parameter of the rows in which the server took the place of the other server. */
export const SWAPPED = 'swapped for the other';

/**
 * Returns the number of violations in the scenarios that kill servers. Returns `undefined` if too little was checked or
 * no server was swapped.
 */
const violations: Of = (sync, server) => {
  const rows = [...rowsWhere(sync, 'monotony', server), ...rowsWhere(sync, 'restart', server)];
  if (!rows.some(({ parameters: { how, swaps } }) => how === SWAPPED || Number(swaps) > 0)) return undefined;
  const sum = (key: FigureKey) =>
    rows.reduce((all, { figures }) => all + (figures[key]?.values.reduce((a, b) => a + b, 0) ?? 0), 0);
  return sum('checked') < ENOUGH_CHECKED ? undefined : sum('violations');
};

const ENOUGH_CHECKED = 100_000;

const both = (most: number): SyncGoal['most'] => ({ rs: most, ts: most });
/** The goal names 1,000 clients. A quick run has fewer, so the goal is not measured there. */
const CROWD = { clients: 1000 } as const;
const FULL_PAGE = { events: 1_000_000 } as const;
const SINGLES = { strategy: 'sync', load: 'singles', concurrency: 16 } as const;
const BATCH = { strategy: 'sync', load: 'one batch' } as const;
const slider = (throttle_ms: number): Parameters => ({ strategy: 'sync', throttle_ms });

export const SYNC_GOALS: readonly SyncGoal[] = [
  {
    title: 'fetches for 10 to 1,000 singles, 16 in flight, of burst / 16 ms + 2; the worst',
    unit: 'of it',
    most: both(1),
    of: (sync, server) =>
      rowsWhere(sync, 'bursts', server, { ...SINGLES, events: 1000 }).length === 0
        ? undefined
        : worst('bursts', 'fetches_of_allowed', SINGLES)(sync, server),
  },
  {
    title: '1,000 singles posted, durable, to the last state applied',
    unit: 'ms',
    most: { rs: 59, ts: 100 },
    of: median('bursts', 'end_to_end_ms', { ...SINGLES, events: 1000 }),
  },
  {
    title: '1,000 events as one batch, the same',
    unit: 'ms',
    most: both(20),
    of: median('bursts', 'end_to_end_ms', { ...BATCH, events: 1000 }),
  },
  { title: 'round trip p50', unit: 'ms', most: { rs: 0.7, ts: 1 }, of: tripAt('p50_ms') },
  { title: 'round trip p95', unit: 'ms', most: both(1.5), of: tripAt('p95_ms') },
  { title: 'round trip p99', unit: 'ms', most: both(5), of: tripAt('p99_ms') },
  {
    title: 'slider, throttle 100 ms: fetches',
    unit: 'per s',
    most: both(10),
    of: median('slider', 'fetches_per_s', slider(100)),
  },
  {
    title: 'slider, throttle 250 ms: fetches',
    unit: 'per s',
    most: both(4),
    of: median('slider', 'fetches_per_s', slider(250)),
  },
  {
    title: 'slider, throttled: first apply, the slower',
    unit: 'ms',
    most: both(16),
    of: (sync, server) => {
      const found = [100, 250].map((ms) => median('slider', 'first_apply_ms', slider(ms))(sync, server));
      return found.includes(undefined) ? undefined : Math.max(...(found as number[]));
    },
  },
  {
    title: 'slider, throttle 250 ms: last state applied after its post',
    unit: 'ms',
    most: both(270),
    of: median('slider', 'last_late_ms', slider(250)),
  },
  {
    title: 'older states applied, of 100,000 with drops, delays, restarts and swaps',
    unit: 'count',
    most: both(0),
    of: violations,
  },
  {
    title: 'ingest at 10,000 events/s that 1,000 followers cost',
    unit: 'share',
    most: both(0.15),
    of: costOf('ingest_events_per_s'),
  },
  {
    title: 'the same of as much as will go',
    unit: 'share',
    most: both(0.15),
    of: costOf('saturated_events_per_s'),
  },
  {
    title: 'wait of 1,000 followers, p99',
    unit: 'ms',
    most: both(350),
    of: median('fan_out', 'staleness_p99_ms', CROWD),
  },
  {
    title: 'lag of 10 clients of the full stream, p99',
    unit: 'ms',
    most: both(100),
    of: median('full_stream', 'staleness_p99_ms', { clients: 10 }),
  },
  {
    title: 'page on 1,000,000 events, to its first rows',
    unit: 'ms',
    most: both(300),
    of: median('page', 'open_ms', FULL_PAGE),
  },
  {
    title: 'page during 1,000 events/s, renderer’s CPU',
    unit: 'share',
    most: both(0.05),
    of: median('page', 'renderer_cpu_share', FULL_PAGE),
  },
];
