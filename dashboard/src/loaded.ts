/**
 * Rows that were loaded, newest first, and where others lie between them that were not.
 *
 * A page that is slower than the events come does not read them all: it takes the newest page and remembers the gap,
 * which whoever looks may load. What must stay true: ids fall, none is there twice, and below a row that is no gap
 * comes the next one that there is.
 */
import type { Row } from './api.ts';

export interface Loaded {
  readonly rows: readonly Row[];
  /** Ids of rows below which others are not loaded; the last row is one unless the end is reached. */
  readonly gaps: ReadonlySet<number>;
}

export const NOTHING: Loaded = { rows: [], gaps: new Set() };

/** Rows that are kept when newer ones come. */
const MOST_ROWS = 2000;

/** With everything above what was loaded before. */
export function withNewer(loaded: Loaded, came: readonly Row[]): Loaded {
  return trimmed(merged(loaded.rows, came), loaded.gaps);
}

/** With the newest page, which need not reach down to what was loaded before; `hasOlder`: something is below it. */
export function withNewest(loaded: Loaded, page: readonly Row[], hasOlder: boolean): Loaded {
  const last = page.at(-1);
  if (last === undefined || !hasOlder) return { rows: page, gaps: new Set() };
  const newestBefore = loaded.rows[0];
  const gaps = [...loaded.gaps].filter((id) => id <= last.id);
  if (newestBefore === undefined || newestBefore.id < last.id) gaps.push(last.id);
  return trimmed(merged(loaded.rows, page), new Set(gaps));
}

/** With what was asked for below a gap; `hasMore`: something is below that too. */
export function withOlder(loaded: Loaded, gap: number, came: readonly Row[], hasMore: boolean): Loaded {
  const reached = hasMore ? (came.at(-1)?.id ?? gap) : 0;
  const gaps = [...loaded.gaps].filter((id) => id > gap || id <= reached);
  // A row that was there before knows itself whether there is a gap below it.
  const isMet = loaded.rows.some(({ id }) => id === reached);
  const rows = merged(loaded.rows, came);
  if (hasMore && !isMet) gaps.push(reached);
  return { rows, gaps: new Set(gaps) };
}

/** How many rows of `loaded` are newer than the newest of `shown`; `isMore`: not all of them are loaded. */
export function waiting(loaded: Loaded, shown: Loaded): { readonly count: number; readonly isMore: boolean } {
  const newest = shown.rows[0]?.id ?? 0;
  const older = loaded.rows.findIndex(({ id }) => id <= newest);
  const newer = older < 0 ? loaded.rows : loaded.rows.slice(0, older);
  return { count: newer.length, isMore: newest > 0 && newer.some(({ id }) => loaded.gaps.has(id)) };
}

/** Two lists whose ids fall, as one. */
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
