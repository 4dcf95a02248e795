/**
 * Compares the file of the stopped server with what was acknowledged, in number and in content.
 *
 * The server is not queried, since it would not report events that it failed to store. Expected rows are made from the
 * pool by the rules of the contract; stored rows are read through the view `events_readable`. A digest that ignores
 * order compares the two multisets. Invariant: the processes of the auditor are idle during a measurement.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import type { Range } from '../../load/bodies.ts';
import type { PoolSource } from '../../load/pool.ts';
import type { Audit } from '../../observe/sample.ts';
import { Helper } from '../../run/helper.ts';
import type { Digested, Order, Reply } from './audit-process.ts';
import { type DigestPart, MultisetDigest } from './digest.ts';

/** Events that were sent and acknowledged in a round. The audit checks the claim that they are stored. */
export interface Claim {
  /** Ranges of the endless sequence that were sent, including the warm-up. No two ranges overlap. */
  readonly ranges: readonly Range[];
  readonly acknowledged_events: number;
}

export type Auditor = Awaited<ReturnType<typeof createAuditor>>;

export interface AuditorOptions {
  readonly pool: PoolSource;
  readonly lifetime: Lifetime;
}

const PROCESSES = 2;

/** Starts the processes, which compute the expected rows of the pool. This takes about a second. */
export async function createAuditor({ pool, lifetime }: AuditorOptions) {
  const program = new URL('./audit-process.ts', import.meta.url);
  const helpers = Array.from(
    { length: PROCESSES },
    () => new Helper<Order, Reply>({ name: 'the auditor', program, lifetime, code: 'audit_failed' }),
  );
  const askAll = async <Kind extends Reply['kind']>(orderOf: (share: number) => Order, kind: Kind) => {
    // Waits for all replies, even after a failure: the next order would take a leftover reply for its own.
    const replies = await Promise.allSettled(helpers.map((helper, i) => helper.ask(orderOf(i), kind)));
    return replies.map((reply) => {
      if (reply.status === 'rejected') throw reply.reason;
      return reply.value;
    });
  };
  const close = async () => void (await Promise.all(helpers.map((helper) => helper.close())));
  const prepare = (share: number) => ({ kind: 'prepare', pool, share, shares: PROCESSES }) as const;
  await askAll(prepare, 'ready').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    audit: async (file: string, claim: Claim) =>
      auditOf(await askAll(() => ({ kind: 'digest', file, ranges: claim.ranges }), 'digested'), claim),
    /** Returns lines that name the rows that make an audit fail. Slow; called only after a failure. */
    explain: async (file: string, { ranges }: Claim) =>
      (await helpers[0]!.ask({ kind: 'explain', file, ranges }, 'explained')).lines,
    close,
  };
}

function auditOf(replies: readonly Digested[], claim: Claim): Audit {
  const expected = merged(replies.map((reply) => reply.expected));
  const stored = merged(replies.map((reply) => reply.stored));
  return {
    expected_events: expected.count,
    acknowledged_events: claim.acknowledged_events,
    stored_events: stored.count,
    expected_digest: expected.hex(),
    stored_digest: stored.hex(),
  };
}

function merged(parts: readonly DigestPart[]): MultisetDigest {
  const digest = new MultisetDigest();
  for (const part of parts) digest.merge(part);
  return digest;
}

export function auditAgrees(audit: Audit): boolean {
  return (
    audit.acknowledged_events === audit.expected_events &&
    audit.stored_events === audit.expected_events &&
    audit.stored_digest === audit.expected_digest
  );
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
  if (auditAgrees(audit)) return;
  const content = audit.stored_digest === audit.expected_digest ? 'equal' : 'different';
  throw new BenchFailure(
    'audit_failed',
    `${name}: expected ${audit.expected_events} events, acknowledged ${audit.acknowledged_events}, ` +
      `stored ${audit.stored_events}; the stored rows are ${content} in content`,
    [...details, ...(await explain())],
  );
}
