/**
 * The programs that a run starts: the servers, the bulk inserts and the closed-loop generator.
 *
 * A comparison takes them as a parameter, so that tests can pass faulty ones.
 */
import { TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { PLAIN_TARGETS } from '../../plain/targets.ts';
import { CEILING_PROGRAMS, type CeilingPrograms } from '../ceilings/programs.ts';
import { SCRATCH } from '../plan/plan.ts';

export interface Contenders {
  readonly targets: Readonly<Record<TargetName, Target>>;
  /** The plain servers, for `--plain` (decision 67). */
  readonly plain: Readonly<Record<TargetName, Target>>;
  /** Programs that measure the ceilings; `null`: no ceiling is measured. */
  readonly ceilings: CeilingPrograms | null;
  /** Program of the closed-loop generator; absent: the real one. */
  readonly closedLoopProgram?: URL | undefined;
  /**
   * Folder for raw data and the report. `null`: the servers are those of an installed package, so the result names no
   * commit, and is only printed.
   */
  readonly scratch: string | null;
}

export const REAL_CONTENDERS: Contenders = {
  targets: TARGETS,
  plain: PLAIN_TARGETS,
  ceilings: CEILING_PROGRAMS,
  scratch: SCRATCH,
};
