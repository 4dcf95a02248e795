/**
 * Compares the file of the stopped server with what was acknowledged, in number and in content.
 *
 * The server is not queried, since it would not report events that it failed to store. Expected rows are made from the
 * pool by the rules of the contract; stored rows are read through the view `events_readable`. A digest that ignores
 * order compares the two multisets. Invariant: the threads are idle during a measurement.
 */
import { Worker } from 'node:worker_threads';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import type { PoolSource } from '../../load/pool.ts';
import type { Audit } from '../../observe/sample.ts';
import type { Claim } from './claim.ts';
import { type DigestPart, MultisetDigest } from './digest.ts';
import type { Digested, Reply, Request, ThreadData } from './thread.ts';

export type { Claim } from './claim.ts';

export interface Auditor {
  audit(file: string, claim: Claim): Promise<Audit>;
  /** Returns lines that name the rows that make an audit fail. Slow; called only after a failure. */
  explain(file: string, claim: Claim): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface AuditorOptions {
  readonly pool: PoolSource;
  readonly lifetime: Lifetime;
}

const THREADS = 2;
const THREAD = new URL('./thread.ts', import.meta.url);

/** Starts the threads, which compute the expected rows of the pool. This takes about a second. */
export async function createAuditor({ pool, lifetime }: AuditorOptions): Promise<Auditor> {
  const threads = Array.from({ length: THREADS }, (_, share) => {
    const workerData: ThreadData = { pool, share, shares: THREADS };
    return new Worker(THREAD, { workerData });
  });
  const close = lifetime.add(() => Promise.all(threads.map((thread) => thread.terminate())));
  const ask = (thread: Worker, request?: Request) => lifetime.orInterrupted(replyOf(thread, request));
  const askAll = async (request?: Request): Promise<Reply[]> => {
    // Waits for all replies, even after a failure: the next request would take a leftover reply for its own.
    const replies = await Promise.allSettled(threads.map((thread) => ask(thread, request)));
    return replies.map((reply) => {
      if (reply.status === 'rejected') throw reply.reason;
      return reply.value;
    });
  };
  await askAll().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    async audit(file, claim) {
      return auditOf((await askAll({ kind: 'digest', file, claim })) as Digested[], claim);
    },
    async explain(file, claim) {
      const reply = await ask(threads[0]!, { kind: 'explain', file, claim });
      return reply.kind === 'explained' ? reply.lines : [];
    },
    close: async () => void (await close()),
  };
}

/** Returns the thread's next message. A thread handles one request at a time. */
function replyOf(thread: Worker, request?: Request): Promise<Exclude<Reply, { kind: 'failed' }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: Reply) => {
      stopListening();
      if (reply.kind === 'failed') reject(new BenchFailure(reply.code, reply.message));
      else resolve(reply);
    };
    const onExit = (code: number) => {
      stopListening();
      reject(new BenchFailure('audit_failed', `a thread of the auditor ended by itself (code ${code})`));
    };
    const onError = (error: Error) => {
      stopListening();
      reject(error);
    };
    const stopListening = () => thread.off('message', onMessage).off('exit', onExit).off('error', onError);
    thread.on('message', onMessage).on('exit', onExit).on('error', onError);
    if (request !== undefined) thread.postMessage(request);
  });
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
