/** The plan of a run, made before it starts: measurements, groups, placement and estimated time. */
import { formatDuration } from '../report/format.ts';
import { choosePlacement } from './placement.ts';
import type { Options, Spec } from './spec.ts';
import { groupsOf, specsOf, type Tools } from './suite.ts';

export type Plan = ReturnType<typeof makePlan>;

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
  let rounds_s = 0;
  for (const group of groupsOf(specs)) rounds_s += group[0]!.workload.rounds * roundTimeOf(group);
  return {
    specs,
    placement: choosePlacement(),
    estimated_s: options.targets.length * (rounds_s + options.starts * START_S),
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

/**
 * Returns the lines that describe the plan. They are printed before anything starts. A result of an installed package
 * has no file `out`.
 */
export function describePlan(plan: Plan, options: Options, out: string | null): string[] {
  return [
    `Measured starts per server: ${options.starts}. Each round has a fresh process and a fresh database of each server.`,
    ...plan.specs.map(({ name, title, group, workload: { rounds } }, i) => {
      const isFirst = group !== plan.specs[i - 1]?.group;
      return `${isFirst ? `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of` : '  then'} ${name}: ${title}`;
    }),
    `This takes about ${shownTime(plan.estimated_s)}${out === null ? '' : ' once built'}.`,
    plan.placement.reason,
    ...(out === null ? [] : [`The result goes to ${out}`]),
  ];
}

/** Formats an estimate, in whole tens of seconds or minutes. */
export function shownTime(seconds: number): string {
  return formatDuration(Math.ceil(seconds / 10) * 10);
}
