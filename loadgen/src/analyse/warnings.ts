/**
 * The closed list of warnings about a result, each with advice.
 *
 * A failed request is no warning: it fails the run. Invariant: warnings are computed from what the result stores, so
 * that a reader can check each.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Environment } from '../observe/environment.ts';
import type { Sample } from '../observe/sample.ts';
import type { Placement } from '../plan/placement.ts';
import { ENOUGH_ROUNDS } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { cpuPerEvent, generatorLoad, streamClientsLoad, throughput } from './metrics.ts';
import { summarise } from './statistics.ts';
import { trendOf } from './trend.ts';
import type { Warning, WarningCode } from './warning.ts';

/** What one measurement is judged by. */
export interface Grounds {
  readonly spec: Spec;
  /** Cores that the generator may run on. */
  readonly generator_cores: number;
  readonly targets: readonly TargetName[];
  readonly samples: readonly Sample[];
}

/** What the run as a whole is judged by. */
export interface RunGrounds {
  readonly placement: Placement;
  readonly environment: Environment;
  /** Servers measured although their sources were newer, or might have been. */
  readonly stale: readonly string[];
}

/** A generator that used more than this of the cores it has threads for may have been what was measured. */
const SATURATED = 0.85;
const HIGH_SPREAD = 0.2;
/** Per core. */
const BUSY_LOAD = 0.25;
const ENOUGH_ROUND_MS = 10_000;
/** Of what was due. */
const RATE_REACHED = 0.98;
const LATE_MS = 5;
/** Of all cores. */
const OTHER_LOAD = 0.05;
const STOLEN = 0.02;

/** What to do about each. */
export const ADVICE: Readonly<Record<WarningCode, string>> = {
  generator_saturated:
    'Throughput and latency may be the generator’s; compare CPU per event, or use more cores.',
  few_rounds: `Use --rounds=${ENOUGH_ROUNDS} or more.`,
  high_spread:
    'Close other programs, use more rounds, and do not read more into the medians than the spread allows.',
  short_rounds: 'Use more --events or --duration, so that caches, checkpoints and garbage collection show.',
  not_steady:
    'No two parts of the warm-up agreed: the server may still have been getting faster or slower; give it a longer --warmup.',
  rate_not_reached:
    'The server did not keep up, so latencies grow with the length of the round; use a lower --rate.',
  requests_dropped:
    'The generator gave up requests that were due; latencies leave out what they would have waited.',
  late_generator: 'Latencies include the generator’s own delay; use more cores or a lower --rate.',
  stream_clients_saturated:
    'The lag of the stream may be its clients’; use fewer --stream-clients, more cores or a lower --rate.',
  other_load: 'Other programs worked during the rounds; close them and run again.',
  stolen_time: 'A hypervisor gave part of the cores to others; use a machine of your own.',
  trend:
    'The machine became faster or slower meanwhile: have it work for as long before, and run again; a second run would have another mixture.',
  no_k6: 'Install k6 (pnpm k6:install) to have the soak driven by it.',
  machine_busy: 'Wait until the machine is idle and run again.',
  shared_cores: 'Throughput includes what the generator takes away; CPU per event is the sounder figure.',
  stale_build: 'Run without --no-build.',
  uncommitted_changes: 'Commit first, so that others can measure the same code.',
  resources_not_measured: 'Run on Linux for CPU and memory.',
};

type Warn = (code: WarningCode, message: string) => void;

/** Warnings one measurement. */
export function measurementWarnings(grounds: Grounds): Warning[] {
  const warnings: Warning[] = [];
  const warn: Warn = (code, message) => warnings.push({ code, message, advice: ADVICE[code] });
  for (const target of grounds.targets) {
    const own = grounds.samples.filter((sample) => sample.target === target);
    if (own.length > 0) judge(target, own, grounds, warn);
  }
  const { samples, spec } = grounds;
  const others = Math.max(0, ...samples.map((sample) => sample.machine.others_share ?? 0));
  if (others > OTHER_LOAD) warn('other_load', `other programs took up to ${percent(others)} of the cores`);
  const stolen = Math.max(0, ...samples.map((sample) => sample.machine.stolen_share ?? 0));
  if (stolen > STOLEN) warn('stolen_time', `up to ${percent(stolen)} of the cores' time was given to others`);
  judgeTrend(grounds, warn);
  if (spec.mode === 'soak' && spec.driver !== 'k6')
    warn('no_k6', 'the soak ran on the open-loop driver, not on k6');
  if (samples.some((sample) => sample.server_cpu_us === null || sample.peak_rss_bytes === null))
    warn('resources_not_measured', 'this system does not say CPU time or memory of a process');
  return warnings;
}

function judge(
  target: TargetName,
  own: readonly Sample[],
  { spec, generator_cores }: Grounds,
  warn: Warn,
): void {
  const load = Math.max(...own.map(generatorLoad));
  // k6 has threads for as many cores as it may run on, the others one.
  const cores = spec.driver === 'k6' ? generator_cores : 1;
  if (load > SATURATED * cores) {
    const of = cores === 1 ? 'a core' : `${cores} cores`;
    warn('generator_saturated', `${target}: the generator used ${percent(load / cores)} of ${of}`);
  }
  const followers = Math.max(0, ...own.map(streamClientsLoad));
  if (followers > SATURATED)
    warn('stream_clients_saturated', `${target}: the stream clients used ${percent(followers)} of a core`);
  judgeSpread(target, own, spec, warn);
  const shortest = Math.min(...own.map((sample) => sample.measured.duration_ms));
  // The last request of an open loop is due one interval before the end.
  if (shortest < ENOUGH_ROUND_MS * 0.99)
    warn('short_rounds', `${target}: the shortest round took ${(shortest / 1000).toFixed(1)} s`);
  if (spec.mode !== 'soak' && own.length < ENOUGH_ROUNDS)
    warn('few_rounds', `${target}: rounds: ${own.length}, fewer than ${ENOUGH_ROUNDS}`);
  const unsteady = own.filter((sample) => sample.warm_up.steady === false).length;
  if (unsteady > 0)
    warn('not_steady', `${target}: not steady after its warm-up in ${unsteady} of ${own.length} rounds`);
  judgeRate(target, own, warn);
}

/** Of what a round is there to find out: in an open loop the rate is given, and latency is what is found. */
function judgeSpread(target: TargetName, own: readonly Sample[], { rate }: Spec, warn: Warn): void {
  const latencies = own.flatMap(({ measured }) => measured.latency?.p99_ms ?? []);
  const [what, values] = rate === null ? ['throughput', own.map(throughput)] : ['latency p99', latencies];
  const spread = summarise(values)?.spread ?? 0;
  if (spread > HIGH_SPREAD)
    warn('high_spread', `${target}: ${what} varied by ${percent(spread)} between rounds`);
}

/** Of what an event costs, which is the machine's doing whether or not the rate is given. */
function judgeTrend({ targets, samples }: Grounds, warn: Warn): void {
  const rows = targets.map((target) =>
    samples.filter((sample) => sample.target === target).flatMap((sample) => cpuPerEvent(sample) ?? []),
  );
  const trend = trendOf(rows);
  if (trend === null) return;
  const way = trend.changes[0]! < 0 ? 'fell' : 'rose';
  const far = trend.changes.map((change) => percent(Math.abs(change))).join(' and ');
  warn('trend', `CPU per event ${way} from round to round, by ${far} from the first third to the last`);
}

function judgeRate(target: TargetName, own: readonly Sample[], warn: Warn): void {
  const asked = own.filter((sample) => sample.rate_events_per_s !== null);
  const reached = Math.min(1, ...asked.map((sample) => throughput(sample) / sample.rate_events_per_s!));
  if (reached < RATE_REACHED)
    warn('rate_not_reached', `${target}: ${percent(reached)} of the events came through in time`);
  const dropped = own.reduce((sum, sample) => sum + sample.measured.dropped_requests, 0);
  if (dropped > 0) warn('requests_dropped', `${target}: ${dropped} requests that were due were never sent`);
  // Where a request waited for a connection it is the server that is late.
  const late = Math.max(0, ...own.map(({ measured }) => measured.generator_delay?.p99_ms ?? 0));
  if (late > LATE_MS)
    warn('late_generator', `${target}: requests were written up to ${late.toFixed(1)} ms late (p99)`);
}

/** Warnings everything in the run. */
export function runWarningsOf(grounds: RunGrounds): Warning[] {
  const { environment, placement, stale } = grounds;
  const warnings: Warning[] = [];
  const warn: Warn = (code, message) => warnings.push({ code, message, advice: ADVICE[code] });
  const busy = (environment.load_average[0] ?? 0) / environment.cpu_cores;
  if (busy > BUSY_LOAD)
    warn('machine_busy', `load average ${environment.load_average[0]!.toFixed(2)} at the start`);
  if (!placement.pinned) warn('shared_cores', placement.reason);
  for (const target of stale) warn('stale_build', `${target}: older than its sources`);
  if (environment.dirty === true) warn('uncommitted_changes', 'files differed from the commit');
  return warnings;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
