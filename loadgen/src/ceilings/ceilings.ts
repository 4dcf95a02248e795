/**
 * Measures the ceilings of a run: one for each combination of payload, durability and group size. All measurements with
 * the same combination share it.
 */
import type { Findings } from '../analyse/measurement.ts';
import type { Options } from '../plan/options.ts';
import { CEILING_EVENTS, CEILING_REPEATS } from '../plan/plan.ts';
import { groupEvents, type Spec } from '../plan/spec.ts';
import type { Contenders } from '../run/contenders.ts';
import type { Progress } from '../run/progress.ts';
import { poolOf } from '../run/workers.ts';
import { type Ceiling, type CeilingOptions, measureCeiling } from './ceiling.ts';

export interface CeilingsContext extends Pick<CeilingOptions, 'placement' | 'lifetime' | 'targets'> {
  readonly contenders: Contenders;
  readonly options: Options;
  readonly progress: Progress;
}

export type Ceilings = ReturnType<typeof createCeilings>;

export function createCeilings(context: CeilingsContext) {
  const all: Ceiling[] = [];
  const { contenders, targets, progress, placement, lifetime } = context;
  return {
    all,
    /** Returns the index of the measurement's ceiling, which is measured now if necessary; `null` when there is none. */
    async indexFor(spec: Spec, { payload, rounds }: Omit<Findings, 'ceiling'>) {
      const { durability } = spec.workload;
      const group_events = groupEvents(spec.workload);
      const found = all.findIndex(
        (one) =>
          one.payload_sha256 === payload.sha256 &&
          one.durability === durability &&
          one.group_events === group_events,
      );
      const programs = contenders.ceilings;
      if (found >= 0 || !spec.ceiling || programs === null) return found < 0 ? null : found;
      await progress.step(`ceiling of ${spec.name}`, CEILING_REPEATS * targets.length, async (at) => {
        const ceiling = await measureCeiling({
          ...{ programs, targets, durability, placement, lifetime },
          source: poolOf(spec, context.options),
          events: Math.min(rounds.size.events!, CEILING_EVENTS),
          group_events,
          repeats: CEILING_REPEATS,
          onProgress: at,
        });
        all.push(ceiling);
        return targets
          .map((name) => `${name} ${Math.round(ceiling.servers[name]!.events_per_s.median)} events/s`)
          .join(', ');
      });
      return all.length - 1;
    },
  };
}
