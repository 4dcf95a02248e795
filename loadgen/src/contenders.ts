/**
 * The programs a run may start, and how: the seam between the comparison and the real ones.
 *
 * The comparison takes all as parameters, so that the harness can be tested against servers and generators
 * that are wrong on purpose.
 */

import type { NamedProgram } from '@twin-ingest/testkit/servers/build.ts';
import { TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { LIMIT_PROGRAMS, type LimitPrograms } from './limit/programs.ts';

export interface Contenders {
  readonly targets: Readonly<Record<TargetName, Target>>;
  /** What stores the same rows without HTTP; `null`: no limit is measured. */
  readonly limits: LimitPrograms | null;
  /** The program of the closed-loop generator; `undefined`: the real one. */
  readonly closedLoopProgram: string | undefined;
}

export const REAL_CONTENDERS: Contenders = {
  targets: TARGETS,
  limits: LIMIT_PROGRAMS,
  closedLoopProgram: undefined,
};

/** What has to be built before these servers run: each of them, and the program behind its limit. */
export function programsOf(contenders: Contenders, targets: readonly TargetName[]): NamedProgram[] {
  return targets.flatMap((name) => {
    const limit = contenders.limits?.[name];
    const server = { name, program: contenders.targets[name] };
    return limit === undefined ? [server] : [server, { name, program: limit }];
  });
}
