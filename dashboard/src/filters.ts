/**
 * Reads and writes the feed's filters in the query of the page's address, so that a view can be bookmarked and
 * shared.
 *
 * Invariant: writing a parsed query gives the same query, in the order of `FILTER_NAMES`.
 */
import { FILTER_NAMES } from './filter-names.ts';
import { type Range, rangeIn } from './range.ts';

export { FILTER_NAMES };
export type FilterName = (typeof FILTER_NAMES)[number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** The parts of a view that the address contains. */
export interface View {
  readonly filters: Filters;
  /** The text to search for. */
  readonly search: string;
  /** The id of the open event. */
  readonly event: number | null;
  /** The time range; null: all. */
  readonly range: Range | null;
}

export function viewOf(query: string): View {
  const given = new URLSearchParams(query);
  const filters: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = given.get(name);
    if (value) filters[name] = value;
  }
  const id = given.get('event') ?? '';
  const event = /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : null;
  return { filters, search: given.get('q') ?? '', event, range: rangeIn(given.get('range')) };
}

/** Returns the query with its `?`, or an empty text. */
export function queryOf({ filters, search, event, range }: View): string {
  const query = filterQuery(filters);
  if (range !== null) query.set('range', range);
  if (search !== '') query.set('q', search);
  if (event !== null) query.set('event', String(event));
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the filters in the form of `GET /api/events`. */
export function filterQuery(filters: Filters): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = filters[name];
    if (value) query.set(name, value);
  }
  return query;
}

export function isEmpty(filters: Filters): boolean {
  return FILTER_NAMES.every((name) => !filters[name]);
}
