/** The folder in which a session works: the `cwd` of a hook, since `project` is only its last segment. */
import type { Row } from '../api.ts';
import { isObject } from '../hook-summary.ts';

/** Returns the folder that the first of these rows with one names. */
export function pathIn(rows: readonly Row[]): string | null {
  for (const { metadata } of rows) {
    const path = isObject(metadata) ? metadata.cwd : undefined;
    if (typeof path === 'string' && path.length > 0) return path;
  }
  return null;
}
