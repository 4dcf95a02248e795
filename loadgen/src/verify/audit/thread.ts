/**
 * A thread of the auditor: it computes the expected rows of the pool once, then digests its share of a round on
 * request.
 *
 * Invariant: the thread is idle between requests. The expected digest depends only on pool and ranges, so it is
 * computed once for rounds that send the same events. The file is read after every round.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { BenchFailure, type FailureCode } from '../../failure.ts';
import type { Range } from '../../load/bodies.ts';
import { loadPool, type PoolSource } from '../../load/pool.ts';
import type { Claim } from './claim.ts';
import { type DigestPart, MultisetDigest } from './digest.ts';
import { Expected, shareOf } from './expected.ts';
import { explain } from './explain.ts';
import { StoredFile } from './stored.ts';

export interface ThreadData {
  readonly pool: PoolSource;
  readonly share: number;
  readonly shares: number;
}

export interface Request {
  readonly kind: 'digest' | 'explain';
  readonly file: string;
  readonly claim: Claim;
}

export interface Digested {
  readonly kind: 'digested';
  readonly expected: DigestPart;
  readonly stored: DigestPart;
}

export type Reply =
  | { readonly kind: 'ready' }
  | Digested
  | { readonly kind: 'explained'; readonly lines: readonly string[] }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string };

if (parentPort !== null) await serve(workerData as ThreadData);

async function serve(data: ThreadData): Promise<void> {
  const reply = (message: Reply) => parentPort!.postMessage(message);
  const answer = (work: () => Reply, code: FailureCode) => {
    try {
      reply(work());
    } catch (error) {
      const known = error instanceof BenchFailure ? error.code : code;
      reply({ kind: 'failed', code: known, message: error instanceof Error ? error.message : String(error) });
    }
  };
  let expected: Expected | undefined;
  const wanted = new Map<string, DigestPart>();
  try {
    const pool = await loadPool(data.pool);
    answer(() => {
      expected = new Expected(pool);
      return { kind: 'ready' };
    }, 'corpus_unusable');
  } catch (error) {
    answer(() => {
      throw error;
    }, 'corpus_unusable');
  }
  parentPort!.on('message', (request: Request) => {
    answer(() => act(request, { expected: expected!, wanted, data }), 'audit_failed');
  });
}

interface Known {
  readonly expected: Expected;
  /** Expected digests that were computed before, by their ranges. */
  readonly wanted: Map<string, DigestPart>;
  readonly data: ThreadData;
}

function act({ kind, file, claim }: Request, known: Known): Reply {
  const { expected, data } = known;
  const stored = new StoredFile(file);
  try {
    if (kind === 'explain') return { kind: 'explained', lines: explain(expected, stored, claim) };
    const found = new MultisetDigest();
    const ids = stored.share(data.share, data.shares);
    stored.visit(ids, (row) => found.add(row.hash));
    return {
      kind: 'digested',
      expected: wantedOf(claim.ranges, known),
      stored: found.part(),
    };
  } finally {
    stored.close();
  }
}

function wantedOf(ranges: readonly Range[], { expected, wanted, data }: Known): DigestPart {
  const key = JSON.stringify(ranges.map(({ first, count }) => [first, count]));
  const before = wanted.get(key);
  if (before !== undefined) return before;
  const digest = new MultisetDigest();
  expected.visit(shareOf(ranges, data.share, data.shares), (row) => digest.add(row.hash));
  const part = digest.part();
  wanted.set(key, part);
  return part;
}
