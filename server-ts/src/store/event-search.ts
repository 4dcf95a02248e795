/**
 * Searches events in steps of bounded cost (rule GET-12).
 *
 * Spans that lack a wanted name or time are skipped, then blocks that lack one. The rows of the other blocks decide. Invariant:
 * where a search stops depends on the stored rows and the filter alone, so both servers stop at the same id. Over 250
 * lines because the levels of a search share its state.
 */
import { LIMITS } from '../contract.ts';
import { NAME_KINDS, TEXT_FILTERS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import type { StoredRow } from '../render/stored.ts';
import type { EventRow, Reached } from '../render.ts';
import type { Numbered } from './connection.ts';
import { isEmpty } from './cost.ts';
import { type EventFilter, NO_UPPER_BOUND, type Queries, UNKNOWN_NAME } from './query.ts';
import { findSealedBlock } from './sealed-texts.ts';
import { findText, mayBeIn, type TextSearch } from './text-search.ts';

/** The columns of the rows that a search visits: those of the view `events_readable`, or the stored ones. */
export type Columns = 'readable' | 'stored';

/** A callback for each row, which returns whether the search goes on. */
export type VisitRow = (row: EventRow & StoredRow) => boolean;

/**
 * Visits up to `limit` events, until `visit` returns `false` or the budget of a page is used up. Runs within the
 * caller's transaction, so that all statements see one state of the file.
 */
export function searchEvents(
  queries: Queries,
  columns: Columns,
  filter: EventFilter,
  limit: number,
  visit: VisitRow,
): Reached {
  const bounds: PageBounds = { rows: limit, bytes: LIMITS.page_bytes };
  return search(queries, rowsStatement(columns, filter.order), {}, filter, bounds, visit);
}

/** Visits rows as they are shown, until `visit` returns `false` or as many blocks were searched as a page may. */
export function searchRows(queries: Queries, filter: EventFilter, visit: VisitRow): Reached {
  const bounds: PageBounds = { rows: LIMITS.max_integer, bytes: Number.POSITIVE_INFINITY };
  return search(queries, rowsStatement('readable', filter.order), {}, filter, bounds, visit);
}

/**
 * Visits the sums of events, newest first, which `select_series_rows.sql` makes of the rows of each block. `values` are
 * its own parameters.
 */
export function searchSums(
  queries: Queries,
  values: Named,
  filter: EventFilter,
  visit: (row: readonly (number | null)[]) => void,
): Reached {
  const bounds: PageBounds = { rows: LIMITS.max_integer, bytes: Number.POSITIVE_INFINITY };
  return search(queries, QUERIES.selectSeriesRows, values, filter, bounds, (row) => {
    visit(row as unknown as readonly (number | null)[]);
    return true;
  });
}

/** What a page may have: a number of rows, and bytes of stored metadata unless it has one row only (rule GET-14). */
interface PageBounds {
  readonly rows: number;
  readonly bytes: number;
}

function search(
  queries: Queries,
  sql: string,
  values: Named,
  filter: EventFilter,
  left: PageBounds,
  visit: VisitRow,
): Reached {
  const { after: above = 0, before: below = NO_UPPER_BOUND, order } = filter;
  const wanted = wantedBy(queries, filter, values);
  const rows = queries.prepared(sql, true);
  const next =
    wanted === undefined
      ? null
      : new Search(queries, order, wanted, rows, left, visit).run(filter, above, below);
  if (next !== null) return { next, scannedTo: next };
  if (order === 'desc') return { next, scannedTo: above };
  return { next, scannedTo: Math.max(above, Math.min(queries.newestRevision(), below - 1)) };
}

/** Returns a page of rows as they are shown. */
export function listEvents(
  queries: Queries,
  filter: EventFilter,
): { readonly rows: readonly EventRow[]; readonly reached: Reached } {
  const rows: EventRow[] = [];
  const reached = searchEvents(queries, 'readable', filter, filter.limit, (row: EventRow) => {
    rows.push(row);
    return true;
  });
  return { rows, reached };
}

/** Values by parameter. */
export type Named = Readonly<Record<string, unknown>>;

/**
 * Looks up name ids, the session and the names that contain a text; `undefined` when no event has one of the names or
 * the session.
 */
export function wantedBy(queries: Queries, filter: EventFilter, values: Named): Named | undefined {
  const { fields, sessionId, text, searchesWhole, since, until } = filter;
  const late = filter.late === undefined ? undefined : Number(filter.late);
  const wanted: Record<string, unknown> = { ...values, since, until, late };
  if (sessionId !== undefined) {
    wanted.session = queries.pluck(QUERIES.selectSessionKey, sessionId);
    if (wanted.session === null) return undefined;
  }
  for (const kind of NAME_KINDS) {
    const name = fields[kind];
    if (name === undefined) continue;
    wanted[kind] = queries.filterId(kind, name);
    if (wanted[kind] === UNKNOWN_NAME) return undefined;
  }
  for (const field of TEXT_FILTERS) wanted[field] = fields[field];
  return text === undefined ? wanted : { ...wanted, ...findText(queries, text, searchesWhole === true) };
}

/**
 * What a search knows of a block before it reads its rows. `unknown`: it is not sealed, or is not searched whole.
 * `may_have`: a row may have the text. `only_ids`: the id of an event may have it, and nothing else. `has_none`: no row has
 * it.
 */
type Sealed = 'unknown' | 'may_have' | 'only_ids' | 'has_none';

/** A search in progress. Each method returns the cursor that continues the search, or null when it may go on. */
class Search {
  private readonly queries: Queries;
  private readonly order: EventFilter['order'];
  private readonly wanted: Named;
  private readonly rowsStatement: Numbered;
  private readonly visit: VisitRow;
  /** The rows that may still follow. */
  private left: PageBounds;
  /** The id of the last visited row; 0 before the first one. */
  private last = 0;
  private leftBlocks: number = LIMITS.page_blocks;
  /** Bytes of metadata that may still be searched for a text. The row that exceeds them is searched whole. */
  private leftSearch: number = LIMITS.page_search_bytes;
  /** Whether metadata can have the text. */
  private inMetadata = true;

  constructor(
    queries: Queries,
    order: EventFilter['order'],
    wanted: Named,
    rows: Numbered,
    left: PageBounds,
    visit: VisitRow,
  ) {
    this.queries = queries;
    this.order = order;
    this.wanted = wanted;
    this.rowsStatement = rows;
    this.left = left;
    this.visit = visit;
  }

  run(filter: EventFilter, above: number, below: number): number | null {
    return isEmpty(filter) ? this.rows(above, below) : this.spans(above, below);
  }

  /** Searches the spans that can have matching rows. */
  private spans(from: number, to: number): number | null {
    const bounds = this.queries.prepared(QUERIES.selectEventBounds, true);
    const [above, below] = bounds.get(
      ...bounds.valuesOf({ ...this.wanted, above: from, below: to }),
    ) as readonly [number, number];
    if (below - above < 2) return null;
    const spanRows = LIMITS.event_span_blocks * LIMITS.event_block_rows;
    const isNewestFirst = this.order === 'desc';
    let [first, last] = [Math.floor((above + 1) / spanRows), Math.floor((below - 1) / spanRows)];
    // A bounded number of summaries is read, so the search continues at `rest` when more follow.
    let rest: number | null = null;
    if (last - first >= LIMITS.page_span_summaries) {
      if (isNewestFirst) {
        first = last - LIMITS.page_span_summaries + 1;
        rest = first * spanRows;
      } else {
        last = first + LIMITS.page_span_summaries - 1;
        rest = (last + 1) * spanRows - 1;
      }
    }
    const sql = isNewestFirst ? QUERIES.selectEventSpansNewest : QUERIES.selectEventSpansOldest;
    let leftSpans: number = LIMITS.page_spans;
    for (const span of this.summaries(sql, first, last)) {
      if (leftSpans === 0) return this.before(span * spanRows, spanRows, above, below);
      leftSpans--;
      const next = this.blocks(Math.max(above, span * spanRows - 1), Math.min(below, (span + 1) * spanRows));
      if (next !== null) return next;
    }
    return rest;
  }

  /** Searches the blocks between two ids that can have matching rows. */
  private blocks(above: number, below: number): number | null {
    const blockRows = LIMITS.event_block_rows;
    const [first, last] = [Math.floor((above + 1) / blockRows), Math.floor((below - 1) / blockRows)];
    const isNewestFirst = this.order === 'desc';
    const sql = isNewestFirst ? QUERIES.selectEventBlocksNewest : QUERIES.selectEventBlocksOldest;
    for (const block of this.summaries(sql, first, last)) {
      if (this.leftBlocks === 0 || this.leftSearch <= 0) {
        return this.before(block * blockRows, blockRows, above, below);
      }
      this.leftBlocks--;
      let [from, to] = [Math.max(above, block * blockRows - 1), Math.min(below, (block + 1) * blockRows)];
      let end: number | null = null;
      if (this.wanted.q !== undefined) {
        const sealed = this.sealed(block, from, to);
        if (sealed === 'has_none') continue;
        this.inMetadata = sealed !== 'only_ids';
        if (sealed === 'unknown') end = this.searchEnd(from, to);
      }
      if (end !== null && isNewestFirst) from = end - 1;
      else if (end !== null) to = end + 1;
      const next = this.rows(from, to) ?? end;
      if (next !== null) return next;
    }
    return null;
  }

  /**
   * Takes the metadata of a sealed block from the bytes that may be searched, unless they end in it, and asks its filter.
   */
  private sealed(block: number, above: number, below: number): Sealed {
    const first = block * LIMITS.event_block_rows;
    if (above >= first || below < first + LIMITS.event_block_rows) return 'unknown';
    const sealed = findSealedBlock((sql, hasRows) => this.queries.prepared(sql, hasRows), block);
    if (sealed === undefined || sealed.metadataBytes >= this.leftSearch) return 'unknown';
    if (this.wanted.whole === 1 && sealed.hasWhole) return 'unknown';
    this.leftSearch -= sealed.metadataBytes;
    const text = this.wanted as Named & TextSearch;
    if (mayBeIn(text, sealed.filter)) return 'may_have';
    // The filter has no UUIDs, since those of a block would fill it.
    return text.uuid === null ? 'has_none' : 'only_ids';
  }

  /**
   * Takes the metadata between two ids from the bytes that may be searched. Returns the last row to search, or null when
   * all may be searched (rule GET-13).
   */
  private searchEnd(above: number, below: number): number | null {
    const lengths = this.queries.prepared(QUERIES.selectMetadataLengths, true);
    const rows = lengths.all(above, below, this.wanted.whole) as (readonly [id: number, bytes: number])[];
    if (this.order === 'asc') rows.reverse();
    for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
      this.leftSearch -= row[1];
      if (this.leftSearch <= 0 && rows.length > 0) return row[0];
    }
    return null;
  }

  /** Visits the matching rows between two ids. */
  private rows(above: number, below: number): number | null {
    const statement = this.rowsStatement;
    // One more row than the page has shows whether more follow.
    const limit = this.left.rows + 1;
    const in_metadata = Number(this.inMetadata);
    const values = statement.valuesOf({ ...this.wanted, above, below, limit, in_metadata });
    for (const row of statement.iterate(...values) as IterableIterator<EventRow & StoredRow>) {
      const { rows, bytes } = this.left;
      const added = metadataBytes(row);
      if (rows === 0 || (added > bytes && this.last !== 0)) return this.last;
      this.left = { rows: rows - 1, bytes: Math.max(bytes - added, 0) };
      this.last = row[0] as number;
      if (!this.visit(row)) return this.last;
    }
    return null;
  }

  /** Yields the ids of the summaries from `first` to `last` that have every wanted number. */
  private *summaries(sql: string, first: number, last: number): Generator<number> {
    const statement = this.queries.prepared(sql, true);
    const values = statement.valuesOf({ ...this.wanted, first, last });
    for (const [id] of statement.iterate(...values) as IterableIterator<readonly [number]>) yield id;
  }

  /** Returns the cursor whose page begins with these ids, which were not searched. */
  private before(first: number, count: number, above: number, below: number): number {
    return this.order === 'desc' ? Math.min(below, first + count) : Math.max(above, first - 1);
  }
}

/** Returns the stored bytes of a row's metadata, the last column of each statement; 0 for sums. */
export function metadataBytes(row: readonly unknown[]): number {
  const metadata = row.at(-1);
  return typeof metadata === 'string' ? Buffer.byteLength(metadata) : 0;
}

function rowsStatement(columns: Columns, order: EventFilter['order']): string {
  if (columns === 'readable')
    return order === 'asc' ? QUERIES.selectEventsOldest : QUERIES.selectEventsNewest;
  return order === 'asc' ? QUERIES.selectEventColumnsOldest : QUERIES.selectEventColumnsNewest;
}
