/** The events that a round claims to have stored. The audit checks the claim against the file. */
import type { Range } from '../../load/bodies.ts';

/** Events that were sent and acknowledged in a round. */
export interface Claim {
  /** Ranges of the endless sequence that were sent, including the warm-up. No two ranges overlap. */
  readonly ranges: readonly Range[];
  readonly acknowledged_events: number;
}
