/** See Limit: the same rows in bulk through each server's own driver, schema and pragmas, without HTTP. */
import type { TargetName } from '../../parity-tests/src/targets.ts';
import type { Summary } from './statistics.ts';

/** One bulk insert. */
export interface LimitSample {
  readonly target: TargetName;
  readonly events: number;
  /** Wall clock of the inserts and commits alone, checkpoints included. */
  readonly duration_ms: number;
  /** CPU of the process for the same span, all threads. */
  readonly cpu_us: number;
}

/** What each server's own database code takes: parsing, checking and HTTP left out. */
export interface Limit {
  /** Digest of the payload it was measured with (`PoolFacts.sha256`). */
  readonly payload_sha256: string;
  readonly durability: 'process' | 'power';
  /** Events in one transaction. */
  readonly group_events: number;
  readonly samples: readonly LimitSample[];
  readonly servers: Readonly<
    Partial<Record<TargetName, { readonly events_per_s: Summary; readonly cpu_us_per_event: Summary }>>
  >;
}
