/**
 * The parent's side of the audit, which compares the file of a stopped server with what was acknowledged (decision 10).
 *
 * The server is not queried, since it would not report events that it failed to store. Invariant: the auditor's process
 * is idle during a measurement.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { PoolSource } from '../../load/pool.ts';
import { Helper } from '../../run/helper.ts';
import type { AuditOrders } from './audit-process.ts';

export type Auditor = Helper<AuditOrders>;

/**
 * Starts the process, which computes the expected rows of the pool. This takes about a second. `isPriced` says whether the
 * servers compute a cost; the plain servers do not.
 */
export async function createAuditor(
  source: PoolSource,
  isPriced: boolean,
  lifetime: Lifetime,
): Promise<Auditor> {
  const program = new URL('./audit-process.ts', import.meta.url);
  const auditor: Auditor = new Helper({ name: 'the auditor', program, lifetime, code: 'audit_failed' });
  await auditor.ask('prepare', { source, isPriced });
  return auditor;
}
