/**
 * Measures the ceilings of a run: one for each combination of payload, durability and group size. All measurements with
 * the same combination share it.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Findings } from '../analyse/measurement.ts';
import type { Options } from '../plan/options.ts';
import type { Placement } from '../plan/placement.ts';
import { CEILING_EVENTS, CEILING_REPEATS } from '../plan/plan.ts';
import { groupEvents, type Spec } from '../plan/spec.ts';
import type { Contenders } from '../run/contenders.ts';
import type { Progress } from '../run/progress.ts';
import { poolOf } from '../run/workers.ts';
import { type Ceiling, measureCeiling } from './ceiling.ts';

export interface CeilingsContext {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
  readonly targets: readonly TargetName[];
  readonly options: Options;
  readonly progress: Progress;
}

export interface Ceilings {
  readonly all: readonly Ceiling[];
  /** Returns the index of the measurement's ceiling, which is measured now if necessary; `null` when there is none. */
  indexFor(spec: Spec, findings: Omit<Findings, 'ceiling'>): Promise<number | null>;
}

export function createCeilings(context: CeilingsContext): Ceilings {
  const all: Ceiling[] = [];
  const { contenders, targets, progress } = context;
  return {
    all,
    async indexFor(spec, findings) {
      const { durability } = spec.workload;
      const group_events = groupEvents(spec.workload);
      const payload_sha256 = findings.payload.sha256;
      const found = all.findIndex(
        (ceiling) =>
          ceiling.payload_sha256 === payload_sha256 &&
          ceiling.durability === durability &&
          ceiling.group_events === group_events,
      );
      if (found >= 0) return found;
      const programs = contenders.ceilings;
      if (!spec.ceiling || programs === null) return null;
      const events = Math.min(findings.rounds.size.events!, CEILING_EVENTS);
      await progress.step(`ceiling of ${spec.name}`, CEILING_REPEATS * targets.length, async (at) => {
        const ceiling = await measureCeiling({
          programs,
          targets,
          source: poolOf(spec, context.options),
          events,
          groupEvents: group_events,
          durability,
          repeats: CEILING_REPEATS,
          placement: context.placement,
          lifetime: context.lifetime,
          onProgress: (_, done) => at(done),
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
