/**
 * The plan of a run, made before it starts: measurements, order of rounds, placement, estimated time, and the file of
 * the result.
 */
import { resolve } from 'node:path';
import { ROOT, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { FLAG_ENTRIES, FLAGS } from './flags.ts';
import type { Options } from './options.ts';
import { choosePlacement, type Placement } from './placement.ts';
import type { Spec } from './spec.ts';
import { specsOf, type Tools } from './suite.ts';

export interface Plan {
  readonly targets: readonly TargetName[];
  readonly specs: readonly Spec[];
  readonly placement: Placement;
  readonly estimated_s: number;
  readonly out: string;
  /** Why the result does not replace the committed one; empty when it does. */
  readonly outReasons: readonly string[];
}

export const COMMITTED_RESULT = resolve(ROOT, 'benchmark-results.json');

/** For results that must not replace the committed one; git ignores the folder. */
export const SCRATCH_RESULT = resolve(ROOT, '.bench/benchmark-results.json');

/** The measurements of a run so far. */
export const UNFINISHED = resolve(ROOT, '.bench/unfinished.json');

/** Rounds below this say little about spread. */
export const ENOUGH_ROUNDS = 5;

/** Bulk inserts per server behind a ceiling. */
export const CEILING_REPEATS = 3;

/** For the estimate alone: what a server on two cores takes together with its generator. */
const ASSUMED_EVENTS_PER_S = { batch: 70_000, single: 12_000 };
const ASSUMED_BULK_EVENTS_PER_S = 60_000;
const ASSUMED_AUDITED_EVENTS_PER_S = 200_000;
/** Start, idle time, warm-up and shutdown of a round, and a measured start. */
const ROUND_OVERHEAD_S = 6;
const START_S = 0.3;

export function makePlan(options: Options, tools: Tools): Plan {
  const targets = options.only === undefined ? TARGET_NAMES : [options.only];
  const specs = specsOf(options, tools);
  const outReasons = reasonsToKeepCommitted(options);
  const committed = options.out === undefined && outReasons.length === 0;
  const measuring = specs.reduce((sum, spec) => sum + estimateOf(spec), 0);
  return {
    targets,
    specs,
    placement: choosePlacement(),
    estimated_s: targets.length * (measuring + options.starts * START_S),
    out: options.out === undefined ? (committed ? COMMITTED_RESULT : SCRATCH_RESULT) : resolve(options.out),
    outReasons: options.out === undefined ? outReasons : [],
  };
}

/** A B B A A B B A …, a pair in each cycle: each server is first and second in turn, so a drift favours neither. */
export function roundOrder(targets: readonly TargetName[], rounds: number): TargetName[] {
  return Array.from({ length: rounds }, (_, i) => (i % 2 === 0 ? targets : [...targets].reverse())).flat();
}

/** Seconds for one server. */
function estimateOf(spec: Spec): number {
  const { workload } = spec;
  const rate = spec.mode === 'single' ? ASSUMED_EVENTS_PER_S.single : ASSUMED_EVENTS_PER_S.batch;
  const offered = spec.rate?.kind === 'fixed' ? spec.rate.events_per_s : rate;
  const duration = workload.duration_s ?? workload.events! / rate;
  const events = workload.events ?? workload.duration_s! * offered;
  const audit = (events + workload.preload_events) / ASSUMED_AUDITED_EVENTS_PER_S;
  const bulk = spec.ceiling ? (CEILING_REPEATS * events) / ASSUMED_BULK_EVENTS_PER_S : 0;
  return workload.rounds * (duration + ROUND_OVERHEAD_S + audit) + bulk;
}

function reasonsToKeepCommitted(options: Options): string[] {
  const reasons: string[] = [];
  if (options.mode !== 'batch' && options.mode !== 'all') reasons.push(`--mode=${options.mode}`);
  if (options.quick) reasons.push('a quick run');
  if (options.pick !== undefined) reasons.push('not all measurements');
  if (options.only !== undefined) reasons.push('one server alone');
  if (options.rounds < ENOUGH_ROUNDS) reasons.push(`fewer than ${ENOUGH_ROUNDS} rounds`);
  if (options.events !== undefined) reasons.push('a number of events');
  if (options.duration !== undefined) reasons.push('a length of its own');
  if (options.starts < FLAGS.starts.default) reasons.push('fewer starts');
  // What a reader takes for the row that the command gives without flags.
  for (const [name, { changesLoad }] of FLAG_ENTRIES)
    if (changesLoad === true && options.given.has(name)) reasons.push(`--${name}`);
  if (options.mode === 'batch' && options.corpus !== undefined) reasons.push('--corpus');
  if (options.noBuild) reasons.push('not built from these sources');
  return reasons;
}

/** What has fewer rounds than there are cycles, as a part of a sentence. */
function inTheLast(specs: readonly Spec[]): string {
  const cycles = Math.max(...specs.map((spec) => spec.workload.rounds));
  const fewer = specs.filter((spec) => spec.workload.rounds < cycles).map((spec) => spec.name);
  return fewer.length === 0 ? '' : `; ${fewer.join(' and ')} in the last alone`;
}

/** Said before anything starts. */
export function describePlan(plan: Plan, options: Options): string[] {
  const time =
    plan.estimated_s < 90
      ? `${Math.ceil(plan.estimated_s)} seconds`
      : `${Math.round(plan.estimated_s / 60)} minutes`;
  return [
    `Measured starts per server: ${options.starts}. Every round has a fresh process and a fresh database.`,
    ...(plan.specs.length === 0
      ? []
      : [`Each cycle holds a pair of rounds of everything below${inTheLast(plan.specs)}.`]),
    ...plan.specs.map(
      (spec) =>
        `${spec.name}: ${spec.title}; rounds: ${roundOrder(plan.targets, spec.workload.rounds).join(' ')}`,
    ),
    `This takes about ${time} once built.`,
    plan.placement.reason,
    plan.outReasons.length > 0
      ? `The committed result stays (${plan.outReasons.join(', ')}); this one goes to ${plan.out}`
      : `The result goes to ${plan.out}`,
  ];
}
