/** Whether a figure of a soak drifts: slope with its interval, and a verdict. */

export type DriftVerdict = 'stable' | 'rising' | 'falling' | 'not_enough_samples';

export interface Drift {
  /** Change per hour in the column's own unit; `null` with too few samples. */
  readonly slope_per_hour: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly confidence: number;
  readonly samples: number;
  /** Smallest change per hour that counts, so that a significant trifle is not called a leak. */
  readonly tolerance_per_hour: number;
  readonly verdict: DriftVerdict;
}
