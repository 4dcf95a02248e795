/**
 * Compares the file of the stopped server with what was acknowledged, in number and in content.
 *
 * The server is not queried, since it would not report events that it failed to store. Expected rows are made from the
 * pool by the rules of the contract; stored rows are read through the view `events_readable`. A digest that ignores
 * order compares the two multisets. Invariant: the auditor's process is idle during a measurement.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import type { Range } from '../../load/bodies.ts';
import type { PoolSource } from '../../load/pool.ts';
import type { Audit } from '../../observe/sample.ts';
import { Helper } from '../../run/helper.ts';
import type { Order, Reply } from './audit-process.ts';

/** Events that were sent and acknowledged in a round. The audit checks the claim that they are stored. */
export interface Claim {
  /** Ranges of the endless sequence that were sent, including the warm-up. No two ranges overlap. */
  readonly ranges: readonly Range[];
  readonly acknowledged_events: number;
}

export type Auditor = Awaited<ReturnType<typeof createAuditor>>;

/** Starts the process, which computes the expected rows of the pool. This takes about a second. */
export async function createAuditor(pool: PoolSource, lifetime: Lifetime) {
  const program = new URL('./audit-process.ts', import.meta.url);
  const helper = new Helper<Order, Reply>({ name: 'the auditor', program, lifetime, code: 'audit_failed' });
  await helper.ask({ kind: 'prepare', pool }, 'ready');
  return {
    async audit(file: string, { ranges, acknowledged_events }: Claim): Promise<Audit> {
      const { expected, stored } = await helper.ask({ kind: 'digest', file, ranges }, 'digested');
      return {
        expected_events: expected.count,
        acknowledged_events,
        stored_events: stored.count,
        expected_digest: expected.hex,
        stored_digest: stored.hex,
      };
    },
    /** Returns lines that name the rows that make an audit fail. Slow; called only after a failure. */
    explain: async (file: string, { ranges }: Claim) =>
      (await helper.ask({ kind: 'explain', file, ranges }, 'explained')).lines,
    close: () => helper.close(),
  };
}

/**
 * Fails unless acknowledged, stored and expected events are equal in number and content. Calls `explain` only on
 * failure.
 */
export async function checkAudit(
  audit: Audit,
  name: string,
  details: readonly string[],
  explain: () => Promise<readonly string[]> = async () => [],
): Promise<void> {
  const { expected_events, acknowledged_events, stored_events } = audit;
  const isEqual = audit.stored_digest === audit.expected_digest;
  if (acknowledged_events === expected_events && stored_events === expected_events && isEqual) return;
  throw new BenchFailure(
    'audit_failed',
    `${name}: expected ${expected_events} events, acknowledged ${acknowledged_events}, ` +
      `stored ${stored_events}; the stored rows are ${isEqual ? 'equal' : 'different'} in content`,
    [...details, ...(await explain())],
  );
}
