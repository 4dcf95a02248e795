/**
 * Counts what is in the file of the stopped server, and compares it with what was sent and acknowledged.
 *
 * The server is not asked: what it forgot to store it would also forget to mention. Reads the view
 * `events_readable` (contract, section 7), whatever the tables look like.
 */
import Database from 'better-sqlite3';
import { BenchFailure } from './failure.ts';
import type { Audit } from './sample.ts';

export interface Claim {
  readonly expected_events: number;
  readonly acknowledged_events: number;
  readonly expected_event_ids: number;
}

export function auditFile(file: string, claim: Claim): Audit {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const row = database
      .prepare<[], { stored_events: number; stored_event_ids: number }>(
        'SELECT count(*) AS stored_events, count(DISTINCT event_id) AS stored_event_ids FROM events_readable',
      )
      .get();
    return { ...claim, ...row! };
  } finally {
    database.close();
  }
}

/** Fails unless acknowledged = stored = expected, ids included. */
export function checkAudit(audit: Audit, name: string, details: readonly string[]): void {
  const same =
    audit.acknowledged_events === audit.expected_events &&
    audit.stored_events === audit.expected_events &&
    audit.stored_event_ids === audit.expected_event_ids;
  if (same) return;
  throw new BenchFailure(
    'audit_failed',
    `${name}: expected ${audit.expected_events} events, acknowledged ${audit.acknowledged_events}, ` +
      `stored ${audit.stored_events}; expected ${audit.expected_event_ids} ids, stored ${audit.stored_event_ids}`,
    details,
  );
}
