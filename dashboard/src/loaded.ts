/**
 * Loaded rows, newest first, and the gaps of rows between them that are not loaded.
 *
 * A page that is slower than the events does not read them all. It fetches the newest page and remembers the gap,
 * which the user may load.
 *
 * Invariant: ids fall, and no id occurs twice. The row after a row without a gap is the next existing one.
 */
import type { Row } from './api.ts';

export interface Loaded {
  readonly rows: readonly Row[];
  /**
   * Ids of rows with unloaded rows below them; the last row is one until the end is reached. A list without rows has
   * the gap `WHOLE_FEED` until then.
   */
  readonly gaps: ReadonlySet<number>;
}

/** The gap of a list without rows whose search has not reached the end. */
export const WHOLE_FEED = 0;

export const NOTHING: Loaded = { rows: [], gaps: new Set() };

/** Largest number of rows kept when newer ones arrive. */
const MOST_ROWS = 2000;

/** Adds rows that include everything newer than the loaded rows. */
export function withNewer(loaded: Loaded, came: readonly Row[]): Loaded {
  const last = came.at(-1);
  const isWhole = last !== undefined && loaded.gaps.has(WHOLE_FEED);
  return trimmed(merged(loaded.rows, came), isWhole ? new Set([last.id]) : loaded.gaps);
}

/** Adds the newest page, which may leave a gap to the loaded rows; `hasOlder`: older rows exist. */
export function withNewest(loaded: Loaded, page: readonly Row[], hasOlder: boolean): Loaded {
  const last = page.at(-1);
  if (last === undefined || !hasOlder) return { rows: page, gaps: new Set(hasOlder ? [WHOLE_FEED] : []) };
  const newestBefore = loaded.rows[0];
  const gaps = [...loaded.gaps].filter((id) => id <= last.id && id !== WHOLE_FEED);
  if (newestBefore === undefined || newestBefore.id < last.id) gaps.push(last.id);
  return trimmed(merged(loaded.rows, page), new Set(gaps));
}

/** Adds rows below a gap; `hasMore`: more rows follow below them. */
export function withOlder(loaded: Loaded, gap: number, came: readonly Row[], hasMore: boolean): Loaded {
  const reached = hasMore ? (came.at(-1)?.id ?? gap) : 0;
  const gaps = [...loaded.gaps].filter((id) => id !== gap && (id > gap || id <= reached));
  // A row that was already loaded has its own record of a gap below it.
  const isMet = loaded.rows.some(({ id }) => id === reached);
  const rows = merged(loaded.rows, came);
  if (hasMore && (!isMet || reached === gap)) gaps.push(reached);
  return { rows, gaps: new Set(gaps) };
}

/** Returns how many rows of `loaded` are newer than the newest of `shown`; `isMore`: not all of them are loaded. */
export function waiting(loaded: Loaded, shown: Loaded): { readonly count: number; readonly isMore: boolean } {
  const newest = shown.rows[0]?.id ?? 0;
  const older = loaded.rows.findIndex(({ id }) => id <= newest);
  const newer = older < 0 ? loaded.rows : loaded.rows.slice(0, older);
  return { count: newer.length, isMore: newest > 0 && newer.some(({ id }) => loaded.gaps.has(id)) };
}

/** Merges two lists with falling ids. */
function merged(a: readonly Row[], b: readonly Row[]): readonly Row[] {
  if (a.length === 0) return b;
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i]?.id ?? -1, b[j]?.id ?? -1];
    rows.push(left >= right ? a[i]! : b[j]!);
    if (left >= right) i++;
    if (right >= left) j++;
  }
  return rows;
}

function trimmed(rows: readonly Row[], gaps: ReadonlySet<number>): Loaded {
  if (rows.length <= MOST_ROWS) return { rows, gaps };
  const kept = rows.slice(0, MOST_ROWS);
  const last = kept.at(-1)!.id;
  return { rows: kept, gaps: new Set([...gaps].filter((id) => id > last).concat(last)) };
}
