/** Conditions on the result from the command line: `rs.p99_ms<50`. */

export interface ThresholdOutcome {
  readonly condition: string;
  /** Of each measurement that has the metric: what was found, and whether it holds. */
  readonly found: readonly {
    readonly measurement: string;
    readonly value: number | null;
    readonly holds: boolean;
  }[];
}
