/**
 * The order of a run: each cycle has some starts, then one round of each server of every measurement (decision 27).
 *
 * Invariants: rounds of a measurement lie a cycle apart, so that their interval contains the drift of the machine. A
 * share of a throughput refers to the round of the same cycle. A measurement with fewer rounds has them in the last
 * cycles.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { throughput } from '../analyse/metrics.ts';
import type { Spec } from '../plan/spec.ts';
import { openSeries, type Rounds, type RoundsContext, type Series } from './rounds.ts';

export interface CyclesContext extends RoundsContext {
  /** Starts of both servers at the beginning of a cycle, the first being 0. */
  starts(cycle: number, cycles: number): Promise<void>;
  /** After each pair of rounds, with all of its measurement so far. */
  onRounds(spec: Spec, rounds: Rounds): Promise<void>;
}

/** What was measured, in the order of the specs. */
export async function runCycles(
  specs: readonly Spec[],
  context: CyclesContext,
): Promise<ReadonlyMap<Spec, Rounds>> {
  const series = new Map<Spec, Series>();
  const measured = () =>
    new Map(specs.flatMap((spec) => (series.has(spec) ? [[spec, series.get(spec)!.rounds] as const] : [])));
  const cycles = cyclesOf(specs);
  for (const [i, inCycle] of cycles.entries()) {
    if (cycles.length > 1) context.progress.say(`cycle ${i + 1} of ${cycles.length}`);
    await context.starts(i, cycles.length);
    for (const spec of inCycle) {
      const own = series.get(spec) ?? (await openSeries(spec, context));
      series.set(spec, own);
      await own.pair(ratesOf(spec, context.targets, measured()));
      await context.onRounds(spec, own.rounds);
    }
  }
  return measured();
}

/** What each cycle measures, in order; one that measures nothing but starts where there is nothing else. */
export function cyclesOf<S extends Pick<Spec, 'workload'>>(specs: readonly S[]): S[][] {
  const cycles = Math.max(1, ...specs.map(({ workload }) => workload.rounds));
  return Array.from({ length: cycles }, (_, cycle) =>
    specs.filter(({ workload }) => cycle >= cycles - workload.rounds),
  );
}

/** Events/s that each server is asked for; `null` in a closed loop. */
function ratesOf(
  spec: Spec,
  targets: readonly TargetName[],
  measured: ReadonlyMap<Spec, Rounds>,
): ReadonlyMap<TargetName, number> | null {
  const { rate, throughput_of } = spec;
  if (rate === null) return null;
  if (rate.kind === 'fixed') return new Map(targets.map((name) => [name, rate.events_per_s]));
  const [, closed] = [...measured].find(([{ name }]) => name === throughput_of)!;
  return new Map(
    targets.map((name) => {
      const last = closed.samples.findLast((sample) => sample.target === name)!;
      return [name, Math.round(throughput(last) * rate.share)];
    }),
  );
}

/** How many of `count` fall to a cycle: as evenly as they go. */
export function portion(count: number, cycle: number, cycles: number): number {
  return Math.floor(((cycle + 1) * count) / cycles) - Math.floor((cycle * count) / cycles);
}
