/**
 * The servers a run may start, and how: the seam between the comparison and the real programs.
 *
 * The comparison takes both as parameters, so that the harness can be tested against servers that are
 * wrong on purpose.
 */
import { type RunningServer, type StartOptions, startServer } from '../../parity-tests/src/server.ts';
import { TARGETS, type Target, type TargetName } from '../../parity-tests/src/targets.ts';

export interface Contenders {
  readonly targets: Readonly<Record<TargetName, Target>>;
  start(name: TargetName, options: StartOptions): Promise<RunningServer>;
}

export const REAL_CONTENDERS: Contenders = { targets: TARGETS, start: startServer };
