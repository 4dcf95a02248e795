/**
 * A process of the auditor: it computes the expected rows of the pool once, then digests its share of a file on request.
 *
 * The expected digest depends only on pool and ranges, so it is computed once for rounds that send the same events. The
 * file is read after every round.
 */
import type { Range } from '../../load/bodies.ts';
import { loadPool, type PoolSource } from '../../load/pool.ts';
import { serve } from '../../run/serve.ts';
import { type DigestPart, MultisetDigest } from './digest.ts';
import { Expected, shareOf } from './expected.ts';
import { explain } from './explain.ts';
import { StoredFile } from './stored.ts';

/** The part of every file that a process digests. */
interface Share {
  readonly share: number;
  readonly shares: number;
}

export type Order =
  | ({ readonly kind: 'prepare'; readonly pool: PoolSource } & Share)
  | { readonly kind: 'digest' | 'explain'; readonly file: string; readonly ranges: readonly Range[] };

export interface Digested {
  readonly kind: 'digested';
  readonly expected: DigestPart;
  readonly stored: DigestPart;
}

export type Reply =
  | { readonly kind: 'ready' }
  | Digested
  | { readonly kind: 'explained'; readonly lines: readonly string[] };

let own: Share;
let expected: Expected;
/** Expected digests that were computed before, by their ranges. */
const wanted = new Map<string, DigestPart>();

serve<Order, Reply>(async (order) => {
  if (order.kind === 'prepare') {
    own = order;
    expected = new Expected(await loadPool(order.pool));
    return { kind: 'ready' };
  }
  const stored = new StoredFile(order.file);
  try {
    if (order.kind === 'explain')
      return { kind: 'explained', lines: explain(expected, stored, order.ranges) };
    const found = new MultisetDigest();
    stored.visit(stored.share(own.share, own.shares), (row) => found.add(row.hash));
    return { kind: 'digested', expected: wantedOf(order.ranges), stored: found.part() };
  } finally {
    stored.close();
  }
});

function wantedOf(ranges: readonly Range[]): DigestPart {
  const key = JSON.stringify(ranges.map(({ first, count }) => [first, count]));
  const before = wanted.get(key);
  if (before !== undefined) return before;
  const digest = new MultisetDigest();
  expected.visit(shareOf(ranges, own.share, own.shares), (row) => digest.add(row.hash));
  wanted.set(key, digest.part());
  return digest.part();
}
