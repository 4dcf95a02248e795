/**
 * Measures the ceilings of a run: one for each combination of payload, durability and group size. All measurements with
 * the same combination share it.
 *
 * Each round measures them once, so that a machine that becomes slower affects a measurement and its ceiling alike.
 */
import type { Options } from '../plan/options.ts';
import { CEILING_EVENTS } from '../plan/plan.ts';
import { groupEvents, type Spec } from '../plan/spec.ts';
import type { Contenders } from '../run/contenders.ts';
import type { Progress } from '../run/progress.ts';
import type { Measured } from '../run/round.ts';
import { poolOf } from '../run/workers.ts';
import { type BulkInserts, type Ceiling, type CeilingOptions, prepareCeiling } from './ceiling.ts';

export interface CeilingsContext extends Pick<CeilingOptions, 'placement' | 'lifetime' | 'targets'> {
  readonly contenders: Contenders;
  readonly options: Options;
  readonly progress: Progress;
}

export function createCeilings(context: CeilingsContext) {
  const known = new Map<string, BulkInserts>();
  const { contenders, targets, progress, placement, lifetime, options } = context;
  const keyOf = (spec: Spec) =>
    JSON.stringify([poolOf(spec, options), spec.workload.durability, groupEvents(spec.workload)]);

  return {
    all: (): Ceiling[] => [...known.values()].map((inserts) => inserts.ceiling()),

    /** Returns the index of the measurement's ceiling in `all`; `null` when it has none. */
    indexOf(spec: Spec): number | null {
      const index = [...known.keys()].indexOf(keyOf(spec));
      return index < 0 ? null : index;
    },

    /** Measures the ceilings of the measurements so far once. */
    async measure(measured: Measured): Promise<void> {
      const programs = contenders.ceilings;
      if (programs === null) return;
      for (const [spec, { size }] of measured) {
        if (!spec.ceiling) continue;
        await progress.step(`ceiling of ${spec.name}`, targets.length, async (at) => {
          const inserts =
            known.get(keyOf(spec)) ??
            (await prepareCeiling({
              ...{ programs, targets, placement, lifetime, durability: spec.workload.durability },
              source: poolOf(spec, options),
              events: Math.min(size.events!, CEILING_EVENTS),
              group_events: groupEvents(spec.workload),
            }));
          await inserts.repeat(at);
          known.set(keyOf(spec), inserts);
          const { servers } = inserts.ceiling();
          return targets
            .map((name) => `${name} ${Math.round(servers[name]!.events_per_s.median)} events/s`)
            .join(', ');
        });
      }
    },
  };
}
