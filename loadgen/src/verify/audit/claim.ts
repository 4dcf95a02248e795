/** What a round claims to have stored, which the audit checks against the file. */
import type { Range } from '../../load/bodies.ts';

/** What was sent and acknowledged in a round. */
export interface Claim {
  /** Events of the endless sequence that were sent, warm-up included; no event stands in two of them. */
  readonly ranges: readonly Range[];
  readonly acknowledged_events: number;
  /** Rows that were in the file before: those with the ids up to this. They are counted, and no more. */
  readonly preloaded_rows: number;
}
