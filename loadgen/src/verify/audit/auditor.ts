/**
 * The parent's side of the audit, which compares the file of a stopped server with what was acknowledged (decision 10).
 *
 * The server is not queried, since it would not report events that it failed to store. Invariant: the auditor's process
 * is idle during a measurement.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { PoolSource } from '../../load/pool.ts';
import { Helper } from '../../run/helper.ts';
import type { Claim, Order, Reply } from './audit-process.ts';
import type { Digest } from './row.ts';

export type Auditor = Awaited<ReturnType<typeof createAuditor>>;

/** Starts the process, which computes the expected rows of the pool. This takes about a second. */
export async function createAuditor(pool: PoolSource, lifetime: Lifetime) {
  const program = new URL('./audit-process.ts', import.meta.url);
  const helper = new Helper<Order, Reply>({ name: 'the auditor', program, lifetime, code: 'audit_failed' });
  await helper.ask({ kind: 'prepare', pool }, 'ready');
  return {
    /** Returns the stored rows. Fails unless acknowledged, stored and expected events are equal. */
    audit: async (claim: Claim): Promise<Digest> =>
      (await helper.ask({ kind: 'audit', claim }, 'audited')).audit,
    close: () => helper.close(),
  };
}
