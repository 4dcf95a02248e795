/** What `twin-ingest bench` passes to the package that measures: the servers of the installation, and the flags. */
import type { Target, TargetName } from './targets.ts';

export interface Comparison {
  readonly targets: Readonly<Record<TargetName, Target>>;
  /** The only server to measure; `null`: both. */
  readonly only: TargetName | null;
  /** Numbers as text, which the measuring side checks. `undefined`: its default. */
  readonly rounds: string | undefined;
  readonly events: string | undefined;
  /** Whether stdout is the result as JSON. */
  readonly json: boolean;
}

/** The module of the package. */
export interface Comparing {
  /** Compares the servers; returns the exit code: 0 compared, 1 failed, 2 a wrong number, 130 interrupted. */
  compare(comparison: Comparison): Promise<number>;
}
