/**
 * What one round measured, raw: every figure of a summary can be computed again from these.
 *
 * Units stand in the names. `null` means not measured on this system.
 */
import type { TargetName } from '../../parity-tests/src/targets.ts';
import type { Sent } from './drivers/driver.ts';
import type { Health } from './health.ts';

export interface DiskUse {
  /** The database and what SQLite keeps beside it, after the server has closed it. */
  readonly bytes: number;
}

/** Acknowledged, stored and expected, which must be the same. */
export interface Audit {
  readonly expected_events: number;
  readonly acknowledged_events: number;
  readonly stored_events: number;
  readonly expected_event_ids: number;
  readonly stored_event_ids: number;
}

export interface Sample {
  readonly round: number;
  readonly target: TargetName;
  readonly warm_up: Sent;
  readonly measured: Sent;
  /** CPU time of the server, all threads, from the first request to the last answer of the measurement. */
  readonly server_cpu_us: number | null;
  readonly idle_rss_bytes: number | null;
  readonly peak_rss_bytes: number | null;
  /** From SIGTERM to the end of the process. */
  readonly stop_ms: number;
  readonly disk: DiskUse;
  readonly audit: Audit;
  readonly health: Health;
}
