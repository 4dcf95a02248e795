/**
 * The closed list of reasons to distrust a result, each with advice.
 *
 * A failed request is none of them: it fails the run. What must stay true: warnings are computed from what is
 * stored in the result, so that a reader can check each.
 */
import type { Environment } from './environment.ts';
import { generatorLoad, throughput } from './metrics.ts';
import { ENOUGH_ROUNDS, type Plan } from './plan.ts';
import type { Sample } from './sample.ts';
import { summarise } from './statistics.ts';

export type WarningCode =
  | 'generator_saturated'
  | 'few_rounds'
  | 'high_spread'
  | 'machine_busy'
  | 'short_rounds'
  | 'shared_cores'
  | 'stale_build'
  | 'resources_not_measured';

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly advice: string;
}

export interface Grounds {
  readonly plan: Plan;
  readonly environment: Environment;
  readonly samples: readonly Sample[];
  /** Servers measured although their sources were newer, or might have been. */
  readonly stale: readonly string[];
}

/** A generator that used more of a core than this may have been what was measured. */
const SATURATED = 0.85;
const HIGH_SPREAD = 0.2;
/** Per core. */
const BUSY_LOAD = 0.25;
const ENOUGH_ROUND_MS = 10_000;

const ADVICE: Readonly<Record<WarningCode, string>> = {
  generator_saturated:
    'Throughput and latency may be the generator’s; compare CPU per event, or use more cores.',
  few_rounds: `Use --rounds=${ENOUGH_ROUNDS} or more.`,
  high_spread:
    'Close other programs, use more rounds, and do not read more into the medians than the spread allows.',
  machine_busy: 'Wait until the machine is idle and run again.',
  short_rounds: 'Use more --events, so that caches, checkpoints and garbage collection show.',
  shared_cores: 'Throughput includes what the generator takes away; CPU per event is the sounder figure.',
  stale_build: 'Run without --no-build.',
  resources_not_measured: 'Run on Linux for CPU and memory.',
};

export function reasonsToDistrust(grounds: Grounds): Warning[] {
  const { plan, environment, samples, stale } = grounds;
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) => warnings.push({ code, message, advice: ADVICE[code] });
  for (const target of plan.targets) {
    const own = samples.filter((sample) => sample.target === target);
    const load = Math.max(...own.map(generatorLoad));
    if (load > SATURATED)
      warn('generator_saturated', `${target}: the generator used ${percent(load)} of a core`);
    const spread = summarise(own.map(throughput))?.spread ?? 0;
    if (spread > HIGH_SPREAD)
      warn('high_spread', `${target}: throughput varied by ${percent(spread)} between rounds`);
    const shortest = Math.min(...own.map((sample) => sample.measured.duration_ms));
    if (shortest < ENOUGH_ROUND_MS)
      warn('short_rounds', `${target}: the shortest round took ${(shortest / 1000).toFixed(1)} s`);
    if (own.length < ENOUGH_ROUNDS)
      warn('few_rounds', `${target}: rounds: ${own.length}, fewer than ${ENOUGH_ROUNDS}`);
  }
  const busy = (environment.load_average[0] ?? 0) / environment.cpu_cores;
  if (busy > BUSY_LOAD)
    warn('machine_busy', `load average ${environment.load_average[0]!.toFixed(2)} at the start`);
  if (!plan.placement.pinned) warn('shared_cores', plan.placement.reason);
  for (const target of stale) warn('stale_build', `${target}: older than its sources`);
  if (samples.some((sample) => sample.server_cpu_us === null || sample.peak_rss_bytes === null)) {
    warn('resources_not_measured', 'this system does not say CPU time or memory of a process');
  }
  return warnings;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
