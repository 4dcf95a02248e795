/**
 * Measures the ceilings of a run: one for each combination of payload, durability and group size. All measurements with
 * the same combination share it.
 *
 * Each round measures them once, so that a machine that becomes slower affects a measurement and its ceiling alike.
 */
import { CEILING_EVENTS } from '../plan/plan.ts';
import type { Options, Spec } from '../plan/spec.ts';
import type { Contenders } from '../run/contenders.ts';
import type { Progress } from '../run/progress.ts';
import type { Measured } from '../run/round.ts';
import { poolOf } from '../run/workers.ts';
import { type BulkInserts, type Ceiling, type CeilingOptions, prepareCeiling } from './ceiling.ts';

interface CeilingsContext extends Pick<CeilingOptions, 'placement' | 'lifetime' | 'targets'> {
  readonly contenders: Contenders;
  readonly options: Options;
  readonly progress: Progress;
}

export function createCeilings({ contenders, options, progress, ...context }: CeilingsContext) {
  const known = new Map<string, BulkInserts>();
  const programs = contenders.ceilings;
  const loadOf = (spec: Spec) => ({
    source: poolOf(spec, options),
    durability: spec.workload.durability,
    // The events that can wait in the server at once can be one transaction.
    group_events: spec.workload.connections * spec.workload.batch_size,
  });
  const keyOf = (spec: Spec) => JSON.stringify(loadOf(spec));

  return {
    all: (): Ceiling[] => [...known.values()].map((inserts) => inserts.ceiling()),

    /** Returns the index of the measurement's ceiling in `all`; `null` when it has none. */
    indexOf(spec: Spec): number | null {
      const index = [...known.keys()].indexOf(keyOf(spec));
      return index < 0 ? null : index;
    },

    /** Measures the ceilings of the measurements so far once. */
    async measure(measured: Measured): Promise<void> {
      if (programs === null) return;
      for (const [spec, { size }] of measured) {
        if (!spec.ceiling) continue;
        await progress.step(`ceiling of ${spec.name}`, context.targets.length, async (at) => {
          const events = Math.min(size.events!, CEILING_EVENTS);
          const load = { ...context, ...loadOf(spec), programs, events };
          const inserts = known.get(keyOf(spec)) ?? (await prepareCeiling(load));
          await inserts.repeat(at);
          known.set(keyOf(spec), inserts);
          return Object.entries(inserts.ceiling().servers)
            .map(([name, { events_per_s }]) => `${name} ${Math.round(events_per_s.median)} events/s`)
            .join(', ');
        });
      }
    },
  };
}
