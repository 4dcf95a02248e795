/**
 * The limits of a run: measured once for each kind of rows, durability and group, and shared by every
 * measurement that has the same.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Contenders } from './contenders.ts';
import { poolOf } from './crew.ts';
import { type Limit, measureLimit } from './limit.ts';
import type { Findings } from './measurement.ts';
import type { Options } from './options/types.ts';
import type { Placement } from './placement.ts';
import { LIMIT_REPEATS } from './plan.ts';
import type { Progress } from './progress.ts';
import { groupEvents, type Spec } from './spec.ts';

export interface LimitsContext {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
  readonly targets: readonly TargetName[];
  readonly options: Options;
  readonly progress: Progress;
}

export interface Limits {
  readonly all: readonly Limit[];
  /** Index of the limit that the measurement stands beside, measured now if nobody has; `null`: none. */
  indexFor(spec: Spec, findings: Omit<Findings, 'limit'>): Promise<number | null>;
}

export function createLimits(context: LimitsContext): Limits {
  const all: Limit[] = [];
  const { contenders, targets, progress } = context;
  return {
    all,
    async indexFor(spec, findings) {
      const { durability, max_metadata_bytes } = spec.workload;
      const group_events = groupEvents(spec.workload);
      const payload_sha256 = findings.payload.sha256;
      const found = all.findIndex(
        (limit) =>
          limit.payload_sha256 === payload_sha256 &&
          limit.durability === durability &&
          limit.group_events === group_events,
      );
      if (found >= 0) return found;
      if (!spec.limit || contenders.limits === null) return null;
      const events = findings.rounds.size.events!;
      const step = progress.begin(`limit of ${spec.name}`, LIMIT_REPEATS * targets.length);
      try {
        const limit = await measureLimit({
          programs: contenders.limits,
          targets,
          source: poolOf(spec, context.options),
          events,
          groupEvents: group_events,
          durability,
          maxMetadataBytes: max_metadata_bytes ?? undefined,
          repeats: LIMIT_REPEATS,
          placement: context.placement,
          lifetime: context.lifetime,
          onProgress: (_, done) => step.at(done),
        });
        step.done(
          targets
            .map((name) => `${name} ${Math.round(limit.servers[name]!.events_per_s.median)} events/s`)
            .join(', '),
        );
        return all.push(limit) - 1;
      } catch (error) {
        step.abandon();
        throw error;
      }
    },
  };
}
