/**
 * The plan of a run, made before it starts: measurements, groups, placement, estimated time, and the file of
 * the result.
 */
import { resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { formatDuration } from '../report/format.ts';
import { FLAG_ENTRIES, FLAGS } from './flags.ts';
import { ROUNDS } from './lengths.ts';
import { choosePlacement } from './placement.ts';
import type { Options, Spec } from './spec.ts';
import { groupsOf, specsOf, type Tools } from './suite.ts';

export type Plan = ReturnType<typeof makePlan>;

export const COMMITTED_RESULT = resolve(ROOT, 'benchmark-results.json');

/** Folder for raw data, reports, and results that must not replace the committed one. Git ignores it. */
export const SCRATCH = resolve(ROOT, '.bench');
export const SCRATCH_RESULT = resolve(SCRATCH, 'benchmark-results.json');

/** Maximum number of events of one bulk insert. */
export const CEILING_EVENTS = 100_000;

/** Throughput that the time estimate assumes for a server and its generator on two cores. */
const ASSUMED_EVENTS_PER_S = { batch: 110_000, single: 12_000 };
/** Mean time of both servers, divided by the time of the faster one. */
const SLOWER = 1.7;
/** Assumed seconds for a bulk insert, for all of a process but its load (start, warm-up, audit), and for a start. */
const [CEILING_S, PROCESS_S, START_S] = [CEILING_EVENTS / 130_000, 9, 0.3];

export function makePlan(options: Options, tools: Tools) {
  const specs = specsOf(options, tools);
  const outReasons = options.out === undefined ? reasonsToKeepCommitted(options) : [];
  const out = options.out ?? (outReasons.length === 0 ? COMMITTED_RESULT : SCRATCH_RESULT);
  let rounds_s = 0;
  for (const group of groupsOf(specs)) rounds_s += group[0]!.workload.rounds * roundTimeOf(group);
  return {
    specs,
    placement: choosePlacement(),
    estimated_s: options.targets.length * (rounds_s + options.starts * START_S),
    out: resolve(out),
    /** Reasons why the result does not replace the committed one; empty when it does. */
    outReasons,
  };
}

/** Returns the estimated seconds that a round of a group takes per server. */
export function roundTimeOf(group: readonly Spec[]): number {
  return group.reduce((sum, { mode, rate, ceiling, workload: { slices, duration_s, events } }) => {
    const pace = ASSUMED_EVENTS_PER_S[mode === 'single' ? 'single' : 'batch'];
    const load = events === null ? slices * duration_s! * (rate === null ? SLOWER : 1) : events / pace;
    return sum + load + (ceiling ? CEILING_S : 0);
  }, PROCESS_S);
}

function reasonsToKeepCommitted({ mode, rounds, starts, corpus, given }: Options): string[] {
  const reasons: readonly (readonly [applies: boolean, reason: string])[] = [
    [mode !== 'main' && mode !== 'all', `--mode=${mode}`],
    ...FLAG_ENTRIES.map(([name, { scratch }]) => [scratch === true && given.has(name), `--${name}`] as const),
    // Fewer rounds show too little of the variation between processes.
    [rounds < ROUNDS.default, `fewer than ${ROUNDS.default} rounds`],
    [starts < FLAGS.starts.default, 'fewer starts'],
    [mode === 'main' && corpus !== undefined, '--corpus'],
  ];
  return reasons.filter(([applies]) => applies).map(([, reason]) => reason);
}

/**
 * Returns the lines that describe the plan. They are printed before anything starts. A result of an installed package
 * has no file (`isWritten`).
 */
export function describePlan(plan: Plan, options: Options, isWritten = true): string[] {
  const reasons = plan.outReasons.join(', ');
  const kept = reasons === '' ? '' : `The committed result stays (${reasons}). `;
  return [
    `Measured starts per server: ${options.starts}. Each round has a fresh process and a fresh database of each server.`,
    ...plan.specs.map(({ name, title, group, workload: { rounds } }, i) => {
      const isFirst = group !== plan.specs[i - 1]?.group;
      return `${isFirst ? `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of` : '  then'} ${name}: ${title}`;
    }),
    `This takes about ${shownTime(plan.estimated_s)}${isWritten ? ' once built' : ''}.`,
    plan.placement.reason,
    ...(isWritten ? [`${kept}The result goes to ${plan.out}`] : []),
  ];
}

/** Formats an estimate, in whole tens of seconds or minutes. */
export function shownTime(seconds: number): string {
  return formatDuration(Math.ceil(seconds / 10) * 10);
}
