/**
 * The auditor's process: it computes the expected rows of the pool once, then digests a file on request.
 *
 * The expected digest depends only on pool and ranges, so it is computed once for rounds that send the same events. The
 * file is read after every round.
 */
import type { Range } from '../../load/bodies.ts';
import { loadPool, type PoolSource } from '../../load/pool.ts';
import { serve } from '../../run/serve.ts';
import { Expected } from './expected.ts';
import { explain } from './explain.ts';
import { type Digest, MultisetDigest } from './row.ts';
import { StoredFile } from './stored.ts';

export type Order =
  | { readonly kind: 'prepare'; readonly pool: PoolSource }
  | { readonly kind: 'digest' | 'explain'; readonly file: string; readonly ranges: readonly Range[] };

export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'digested'; readonly expected: Digest; readonly stored: Digest }
  | { readonly kind: 'explained'; readonly lines: readonly string[] };

let expected: Expected;
/** Expected digests that were computed before, by their ranges. */
const wanted = new Map<string, Digest>();

serve<Order, Reply>(async (order) => {
  if (order.kind === 'prepare') {
    expected = new Expected(await loadPool(order.pool));
    return { kind: 'ready' };
  }
  const stored = new StoredFile(order.file);
  try {
    if (order.kind === 'explain')
      return { kind: 'explained', lines: explain(expected, stored, order.ranges) };
    const found = new MultisetDigest();
    stored.visit((row) => found.add(row.hash));
    return { kind: 'digested', expected: wantedOf(order.ranges), stored: found.digest() };
  } finally {
    stored.close();
  }
});

function wantedOf(ranges: readonly Range[]): Digest {
  const key = JSON.stringify(ranges);
  const before = wanted.get(key);
  if (before !== undefined) return before;
  const all = new MultisetDigest();
  expected.visit(ranges, (row) => all.add(row.hash));
  wanted.set(key, all.digest());
  return all.digest();
}
