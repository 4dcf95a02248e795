/**
 * Revisions: canonical decimal texts of unsigned 64-bit integers, compared as texts.
 *
 * A JavaScript number cannot represent them: above 2^53, two adjacent revisions are one double. Invariant: only values
 * that passed `isRevision` are compared, so the comparison need not check them again.
 */

declare const canonical: unique symbol;

/** `0`, or digits without a leading zero, at most 18446744073709551615. */
export type Revision = string & { readonly [canonical]: true };

const LARGEST = '18446744073709551615';
const CANONICAL = /^(?:0|[1-9][0-9]*)$/;

/** The smallest revision. */
export const ZERO = '0' as Revision;

/** Returns whether a value is a revision. A long text costs no more than a short one. */
export function isRevision(value: unknown): value is Revision {
  return (
    typeof value === 'string' &&
    value.length <= LARGEST.length &&
    CANONICAL.test(value) &&
    (value.length < LARGEST.length || value <= LARGEST)
  );
}

/** Returns -1, 0 or 1, in the order of the numbers. */
export function compareRevisions(a: Revision, b: Revision): -1 | 0 | 1 {
  if (a === b) return 0;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}

/** Returns the larger of the two. */
export function maxRevision(a: Revision, b: Revision): Revision {
  return compareRevisions(a, b) < 0 ? b : a;
}
