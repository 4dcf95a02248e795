/**
 * What a run will do, decided before it does anything: the order of rounds, where everything runs, how long
 * it will take, and where the result goes.
 */
import { resolve } from 'node:path';
import { ROOT, TARGET_NAMES, type TargetName } from '../../parity-tests/src/targets.ts';
import { FLAGS, type Options } from './options.ts';
import { choosePlacement, type Placement } from './placement.ts';

export interface Plan {
  readonly targets: readonly TargetName[];
  /** One entry a round, A B B A A B B A …; fresh process and fresh database each. */
  readonly order: readonly TargetName[];
  readonly placement: Placement;
  readonly estimated_s: number;
  readonly out: string;
  /** Why the result does not replace the committed one; empty when it does. */
  readonly outReasons: readonly string[];
}

export const COMMITTED_RESULT = resolve(ROOT, 'benchmark-results.json');

/** For results that must not replace the committed one; git ignores the folder. */
export const SCRATCH_RESULT = resolve(ROOT, '.bench/benchmark-results.json');

/** Rounds below this say little about spread. */
export const ENOUGH_ROUNDS = 5;

/** For the estimate alone: what a server on two cores takes together with its generator. */
const ASSUMED_EVENTS_PER_SECOND = 70_000;
/** Start, idle time, shutdown and audit of a round, and a measured start. */
const ROUND_OVERHEAD_S = 4;
const START_S = 0.3;

export function makePlan(options: Options): Plan {
  const targets = options.only === undefined ? TARGET_NAMES : [options.only];
  const order = roundOrder(targets, options.rounds);
  const sending = (options.events + options.warmup) / ASSUMED_EVENTS_PER_SECOND;
  const outReasons = reasonsToKeepCommitted(options);
  const committed = options.out === undefined && outReasons.length === 0;
  return {
    targets,
    order,
    placement: choosePlacement(),
    estimated_s: order.length * (sending + ROUND_OVERHEAD_S) + options.starts * targets.length * START_S,
    out: options.out === undefined ? (committed ? COMMITTED_RESULT : SCRATCH_RESULT) : resolve(options.out),
    outReasons: options.out === undefined ? outReasons : [],
  };
}

/** A B B A A B B A …: each server is first and second in turn, so a drift of the machine favours neither. */
export function roundOrder(targets: readonly TargetName[], rounds: number): TargetName[] {
  return Array.from({ length: rounds }, (_, i) => (i % 2 === 0 ? targets : [...targets].reverse())).flat();
}

function reasonsToKeepCommitted(options: Options): string[] {
  const reasons: string[] = [];
  if (options.only !== undefined) reasons.push('one server alone');
  if (options.rounds < ENOUGH_ROUNDS) reasons.push(`fewer than ${ENOUGH_ROUNDS} rounds`);
  if (options.events < Number(FLAGS.events.default)) reasons.push('fewer events than the default');
  if (!options.build) reasons.push('not built from these sources');
  return reasons;
}

/** Said before anything starts. */
export function describePlan(plan: Plan, options: Options): string[] {
  const time =
    plan.estimated_s < 90
      ? `${Math.ceil(plan.estimated_s)} seconds`
      : `${Math.round(plan.estimated_s / 60)} minutes`;
  const events = options.corpus === undefined ? `generated, seed ${options.seed}` : 'from the corpus';
  const count = (value: number) => value.toLocaleString('en-US');
  return [
    `Measured starts per server: ${options.starts}. Rounds, each with a fresh process and database: ${plan.order.join(' ')}.`,
    `Each round: ${count(options.events)} events (${events}) in batches of ${count(options.batchSize)} over ` +
      `${options.concurrency} connections, after ${count(options.warmup)} to warm up.`,
    `This takes about ${time} once built.`,
    plan.placement.reason,
    plan.outReasons.length > 0
      ? `The committed result stays (${plan.outReasons.join(', ')}); this one goes to ${plan.out}`
      : `The result goes to ${plan.out}`,
  ];
}
