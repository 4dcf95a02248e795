/**
 * Detects what limits a result. `warning.ts` has the closed list of warnings.
 *
 * A failed request is not a warning: it fails the run. Invariant: warnings are computed from what the result stores, so
 * that a reader can check each.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Slice } from '../observe/sample.ts';
import type { Spec } from '../plan/spec.ts';
import { percent } from '../report/format.ts';
import type { SuiteFacts } from '../result/suite-rows.ts';
import type { Rounds } from '../run/round.ts';
import { generatorLoad, streamClientsLoad, throughput } from './metrics.ts';
import { type Comparison, ENOUGH_FOR_VERDICT, median } from './statistics.ts';
import { ADVICE, type Warning, type WarningCode } from './warning.ts';

/** Data from which the warnings about one measurement are computed. */
export interface Grounds {
  readonly spec: Spec;
  /** Number of cores that the generator may run on. */
  readonly generator_cores: number;
  readonly targets: readonly TargetName[];
  readonly rounds: Rounds;
  /** Comparisons by key of the metric. */
  readonly comparison: Readonly<Record<string, Comparison | null>>;
}

/** Share of the cores that the generator has threads for. Above it, the generator may be the bottleneck. */
const SATURATED = 0.85;
/** Largest relative distance from a ratio to the farther end of its interval that gives no warning. */
const WIDE_INTERVAL = 0.1;
/** Ratios that a measurement must determine precisely. Latencies vary too much for a run of minutes. */
const CLAIMED = { throughput_events_per_s: 'throughput', server_cpu_us_per_event: 'server CPU per event' };
/** Load average per core above which the machine counts as busy. */
const BUSY_LOAD = 0.25;
/** Minimum total duration of all slices of a server. */
const ENOUGH_LOAD_MS = 10_000;
/** Minimum share of the requested rate that a server must reach. */
const RATE_REACHED = 0.98;
const LATE_MS = 5;
/** Maximum share of all cores that other programs may use without a warning. */
const OTHER_LOAD = 0.05;
/** Share of all cores' time that the hypervisor gave to other guests. Above it, there is a warning. */
export const STOLEN = 0.02;

type Seen = Generator<readonly [code: WarningCode, message: string]>;

export function warningOf(code: WarningCode, message: string): Warning {
  return { code, message, ...ADVICE[code] };
}

/** Returns the warnings about one measurement. */
export function measurementWarnings(grounds: Grounds): Warning[] {
  return Array.from(seenIn(grounds), ([code, message]) => warningOf(code, message));
}

function* seenIn(grounds: Grounds): Seen {
  const { spec, rounds, targets } = grounds;
  const { slices, processes } = rounds;
  for (const target of targets) {
    const own = slices.filter((slice) => slice.target === target);
    if (own.length > 0) yield* seenOfServer(target, own, grounds);
  }
  yield* seenOnMachine(slices);
  yield* seenInComparison(grounds);
  if (spec.mode === 'soak' && spec.driver !== 'k6')
    yield ['no_k6', 'the soak ran on the open-loop driver, not on k6'];
  const hasGaps =
    slices.some(({ server_cpu_us }) => server_cpu_us === null) ||
    processes.some(({ peak_rss_bytes }) => peak_rss_bytes === null);
  if (hasGaps)
    yield ['resources_not_measured', 'this system does not report CPU time or memory of a process'];
}

function* seenOfServer(target: TargetName, own: readonly Slice[], grounds: Grounds): Seen {
  const { spec, generator_cores, rounds } = grounds;
  // The median is used, so that one slow slice of the generator gives no warning.
  const load = median(own.map(generatorLoad))!;
  // k6 has threads for all cores that it may run on; the other generators have one thread.
  const cores = spec.driver === 'k6' ? generator_cores : 1;
  if (load > SATURATED * cores) {
    const of = cores === 1 ? 'a core' : `${cores} cores`;
    yield ['generator_saturated', `${target}: the generator used ${percent(load / cores)} of ${of}`];
  }
  const followers = median(own.map(streamClientsLoad))!;
  if (followers > SATURATED)
    yield ['stream_clients_saturated', `${target}: the stream clients used ${percent(followers)} of a core`];
  const took_ms = own.reduce((sum, { measured }) => sum + measured.duration_ms, 0);
  if (took_ms < ENOUGH_LOAD_MS && spec.rate === null)
    yield ['short_load', `${target}: all slices together took ${(took_ms / 1000).toFixed(1)} s`];
  const had = new Set(own.map(({ round }) => round)).size;
  if (spec.mode !== 'soak' && had < ENOUGH_FOR_VERDICT)
    yield ['few_rounds', `${target}: rounds: ${had}, fewer than ${ENOUGH_FOR_VERDICT}`];
  const warmed = rounds.processes.filter((sample) => sample.target === target);
  const unsteady = warmed.filter(({ warm_up }) => warm_up.steady === false).length;
  if (unsteady > 0)
    yield ['not_steady', `${target}: not steady after its warm-up in ${unsteady} of ${warmed.length} rounds`];

  const asked = own.filter(({ rate_events_per_s }) => rate_events_per_s !== null);
  // The maximum is 1: the last request is due one interval before the end, so the throughput can exceed the rate.
  const reached = Math.min(1, ...asked.map((slice) => throughput(slice) / slice.rate_events_per_s!));
  if (reached < RATE_REACHED)
    yield ['rate_not_reached', `${target}: ${percent(reached)} of the events came through in time`];
  const dropped = own.reduce((sum, { measured }) => sum + measured.dropped_requests, 0);
  if (dropped > 0) yield ['requests_dropped', `${target}: ${dropped} requests that were due were never sent`];
  // `generator_delay` does not include waiting for a free connection, which the server causes.
  const late = median(own.map(({ measured }) => measured.generator_delay?.p99_ms ?? 0))!;
  if (late > LATE_MS) yield ['late_generator', `${target}: requests ${late.toFixed(1)} ms late (p99)`];
}

function* seenOnMachine(slices: readonly Slice[]): Seen {
  // The mean of all slices is used: a slice takes about a second, so a few clock ticks in one slice are not a load.
  const meanOf = (share: (slice: Slice) => number | null) =>
    slices.reduce((sum, slice) => sum + (share(slice) ?? 0), 0) / Math.max(1, slices.length);
  const others = meanOf(({ machine }) => machine.others_share);
  if (others > OTHER_LOAD) yield ['other_load', `other programs took ${percent(others)} of the cores`];
  const stolen = meanOf(({ machine }) => machine.stolen_share);
  if (stolen > STOLEN) yield ['stolen_time', `${percent(stolen)} of the cores' time was given to others`];
}

/** Finds wide intervals and differing halves. The throughput of an open loop is given, so it is skipped. */
function* seenInComparison({ spec, comparison }: Grounds): Seen {
  for (const [key, label] of Object.entries(CLAIMED)) {
    const found = comparison[key] ?? null;
    if (found === null || found.interval === 'none') continue;
    if (spec.rate !== null && key === 'throughput_events_per_s') continue;
    const wide = Math.max(found.high / found.ratio, found.ratio / found.low) - 1;
    if (wide > WIDE_INTERVAL)
      yield ['wide_interval', `${label} has an interval to ${percent(wide)} from its ratio`];
    if (found.split_half?.agree === false) {
      const [odd, even] = [found.split_half.odd, found.split_half.even].map((half) => half.toFixed(2));
      yield ['halves_differ', `${label} is ${odd} in odd rounds and ${even} in even rounds`];
    }
  }
}

/**
 * Returns the warnings about the run as a whole. `stale` are the servers whose build was, or may have been, older than
 * their sources.
 */
export function runWarningsOf(run: Pick<SuiteFacts, 'placement' | 'environment'>, stale: readonly string[]) {
  const { placement, environment } = run;
  const load = environment.load_average[0] ?? 0;
  const isBusy = load / environment.cpu_cores > BUSY_LOAD;
  return [
    ...(isBusy ? [warningOf('machine_busy', `load average ${load.toFixed(2)} at the start`)] : []),
    ...(placement.pinned ? [] : [warningOf('shared_cores', placement.reason)]),
    ...stale.map((target) => warningOf('stale_build', `${target}: older than its sources`)),
    ...(environment.dirty ? [warningOf('uncommitted_changes', 'files differed from the commit')] : []),
  ];
}
