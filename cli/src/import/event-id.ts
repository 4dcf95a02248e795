/**
 * Identifies lines that have no id.
 *
 * Invariant: the identity depends on the line alone, so a repeated import stores nothing twice.
 */
import { createHash } from 'node:crypto';

/** Returns an id for a line without one. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
