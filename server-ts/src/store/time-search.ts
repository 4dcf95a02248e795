/**
 * Visits events in the order of their times (rule GET-15).
 *
 * Rows that are not late have ascending times in the order of their ids, so a search by ids finds them in order. An index
 * has the late rows. This module merges the two. Invariant: every row before the returned place was visited, or does not
 * match. Belongs to a reader's thread.
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type EventRow, idOf, type Place, parsePlace, placeText, ROW } from '../render.ts';
import { parseTimestamp } from '../timestamp.ts';
import { metadataBytes, type Named, searchRows, wantedBy } from './event-search.ts';
import { type EventFilter, NO_UPPER_BOUND, type Queries } from './query.ts';

/** Where a page by time begins or ends. Of rows that are not late, those of one time are found by their id. */
export interface TimeCursor {
  /** Of the last row that was visited, or of a bound of the search. */
  readonly place: Place;
  /** Whether the place is that of a late row. */
  readonly isLate: boolean;
}

const LATE_SUFFIX = '.late';

/** Reads the text of a cursor. */
export function parseTimeCursor(text: string): TimeCursor | undefined {
  const isLate = text.endsWith(LATE_SUFFIX);
  const place = parsePlace(isLate ? text.slice(0, -LATE_SUFFIX.length) : text);
  return place && { place, isLate };
}

/** Returns the text of a cursor. */
export function timeCursorText({ place, isLate }: TimeCursor): string {
  return `${placeText(place)}${isLate ? LATE_SUFFIX : ''}`;
}

/** A page of rows, and the cursor of the next page; `undefined` at the end. */
interface TimePage {
  readonly rows: readonly EventRow[];
  readonly next: TimeCursor | undefined;
}

/** Returns up to `limit` events after a cursor. Runs within the caller's transaction. */
export function listByTime(queries: Queries, filter: EventFilter, from: TimeCursor | undefined): TimePage {
  const wanted = wantedBy(queries, filter, {});
  if (wanted === undefined) return { rows: [], next: undefined };
  const { order } = filter;
  const start = from?.place ?? outermost(order);
  const lateBound = lateBoundOf(queries, filter, start);
  const page = new Page(filter, lateRows(queries, filter, wanted, start, lateBound));
  try {
    let isBounded = false;
    const { next } = searchRows(queries, rowsInOrder(filter, from), (row: EventRow) => {
      const place = placeOf(row);
      page.addLate(place);
      isBounded = lateBound !== undefined && !isBefore(place, lateBound, order);
      return !isBounded && page.add(row, place, false);
    });
    if (page.isFull) return page.taken(page.last);
    const bound = next === null || isBounded ? undefined : boundOf(queries, order, start, next);
    const late = lateBound && { place: lateBound, isLate: true };
    const isLateFirst = late !== undefined && bound !== undefined && isBefore(late.place, bound.place, order);
    const end = isLateFirst ? late : (bound ?? late);
    // Every late row up to the end belongs to the page.
    page.addLate(end?.place ?? innermost(order));
    return page.taken(page.isFull ? page.last : end);
  } finally {
    page.close();
  }
}

/** The rows of a page, as they are found. */
class Page {
  /** Of the last row. */
  last: TimeCursor | undefined;
  /** Whether a row did not fit. */
  isFull = false;
  private readonly rows: EventRow[] = [];
  private readonly order: EventFilter['order'];
  private readonly limit: number;
  private bytes: number = LIMITS.page_bytes;
  private readonly late: IterableIterator<EventRow>;
  /** The next late row. */
  private nextLate: EventRow | undefined;

  constructor({ order, limit }: EventFilter, late: IterableIterator<EventRow>) {
    this.order = order;
    this.limit = limit;
    this.late = late;
    this.step();
  }

  /** Adds a row, if the page has room for it and for every row before it. Returns whether it had. */
  add(row: EventRow, place: Place, isLate: boolean): boolean {
    const bytes = metadataBytes(row);
    this.isFull ||= this.rows.length === this.limit || (bytes > this.bytes && this.last !== undefined);
    if (this.isFull) return false;
    this.bytes = Math.max(this.bytes - bytes, 0);
    this.last = { place, isLate };
    this.rows.push(row);
    return true;
  }

  /** Adds the late rows up to a place, which is that of another row or the end of the page. */
  addLate(end: Place): void {
    while (!this.isFull && this.nextLate !== undefined) {
      const place = placeOf(this.nextLate);
      if (isBefore(end, place, this.order)) return;
      if (this.add(this.nextLate, place, true)) this.step();
    }
  }

  taken(next: TimeCursor | undefined): TimePage {
    return { rows: this.rows, next };
  }

  /** Ends the statement of the late rows, so that others may write. */
  close(): void {
    this.late.return?.();
  }

  private step(): void {
    const { value, done } = this.late.next();
    this.nextLate = done === true ? undefined : value;
  }
}

/** The place before all others of a page. */
function outermost(order: EventFilter['order']): Place {
  return { time: order === 'desc' ? NO_UPPER_BOUND : -NO_UPPER_BOUND, number: NO_UPPER_BOUND };
}

/** The place after all others of a page. */
function innermost(order: EventFilter['order']): Place {
  return { time: order === 'desc' ? -NO_UPPER_BOUND : NO_UPPER_BOUND, number: NO_UPPER_BOUND };
}

/** Returns whether a place comes before another one in a page. */
function isBefore(place: Place, other: Place, order: EventFilter['order']): boolean {
  const difference = place.time - other.time || place.number - other.number;
  return order === 'desc' ? difference > 0 : difference < 0;
}

/** Returns the filter of the rows that are not late and come after a cursor. */
function rowsInOrder(filter: EventFilter, from: TimeCursor | undefined): EventFilter {
  const rows = { ...filter, late: false };
  if (from === undefined) return rows;
  const { place, isLate } = from;
  const { time, number } = place;
  if (filter.order === 'desc') {
    // A late row follows the rows of its time.
    return { ...rows, before: number, until: Math.min(filter.until ?? Number.POSITIVE_INFINITY, time + 1) };
  }
  const since = isLate ? time + 1 : time;
  return {
    ...rows,
    after: isLate ? 0 : number,
    since: Math.max(filter.since ?? Number.NEGATIVE_INFINITY, since),
  };
}

/** Yields the late rows of a page after `start`, up to the last one that it looks at. */
function lateRows(
  queries: Queries,
  filter: EventFilter,
  wanted: Named,
  start: Place,
  bound: Place | undefined,
): IterableIterator<EventRow> {
  const isNewestFirst = filter.order === 'desc';
  // Both ends are exclusive, so the last late row that the page looks at is inside.
  const far = bound && { time: bound.time, number: bound.number + (isNewestFirst ? -1 : 1) };
  const end = far ?? innermost(filter.order);
  const [above, below] = isNewestFirst ? [end, start] : [start, end];
  const sql = isNewestFirst ? QUERIES.selectLateEventsNewest : QUERIES.selectLateEventsOldest;
  const statement = queries.prepared(sql, true);
  const values = {
    ...wanted,
    above_time: above.time,
    above: above.number,
    below_time: below.time,
    below: below.number,
    limit: filter.limit + 1,
    in_metadata: 1,
  };
  return statement.iterate(...statement.valuesOf(values)) as IterableIterator<EventRow>;
}

/** Returns the place of the last late row that a page looks at; `undefined` when it looks at all of them. */
function lateBoundOf(queries: Queries, filter: EventFilter, start: Place): Place | undefined {
  const most = LIMITS.page_blocks * LIMITS.event_block_rows;
  const [sql, end] =
    filter.order === 'desc'
      ? [QUERIES.selectLateBoundNewest, filter.since]
      : [QUERIES.selectLateBoundOldest, filter.until];
  const row = queries.prepared(sql, true).get(start.time, start.number, end, most);
  if (row === undefined) return undefined;
  const [time, number] = row as readonly [number, number];
  return { time, number };
}

/** Returns the place that no row has which the search by ids left out; `undefined` when it left out none. */
function boundOf(
  queries: Queries,
  order: EventFilter['order'],
  start: Place,
  next: number,
): TimeCursor | undefined {
  const isNewestFirst = order === 'desc';
  const block = Math.floor((isNewestFirst ? next - 1 : next + 1) / LIMITS.event_block_rows);
  const found = queries.pluck(isNewestFirst ? QUERIES.selectTimeBefore : QUERIES.selectTimeAfter, block);
  if (found === null) return undefined;
  const time = isNewestFirst ? Math.min(found, start.time) : Math.max(found, start.time);
  return { place: { time, number: next }, isLate: false };
}

/** Returns the place of a row of `events_readable`. */
function placeOf(row: EventRow): Place {
  return { time: parseTimestamp(row[ROW.time] as string)!, number: idOf(row) };
}
