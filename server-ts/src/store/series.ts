/**
 * Reads sums of events by bucket of time and by name (rules SER-01 to SER-05).
 *
 * They come from the stored sums of hours where those suffice, else from rows, under the budget of a page. Invariant:
 * which of the two depends on the request alone.
 */
import { LIMITS } from '../contract.ts';
import { NAME_KINDS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import type { Line, Series } from '../render/series.ts';
import type { Reached } from '../render.ts';
import { isInRange } from '../timestamp.ts';
import type { Texts } from './event-rows.ts';
import { searchSums } from './event-search.ts';
import { type Queries, UNKNOWN_NAME } from './query.ts';
import { BUCKET_MS, hasSums, isOfCalls, namesOf, type SeriesFilter, UNITS } from './series-filter.ts';

/** The sums of a name in a bucket. The name is 0 for events that are not divided, or for all other names. */
interface Cell {
  readonly name: number;
  readonly bucket: number;
  readonly sums: readonly number[];
}

type Row = readonly (number | null)[];

/** Reads a series, within the caller's transaction. */
export function readSeries(queries: Queries, texts: Texts, filter: SeriesFilter): Series {
  const ms = BUCKET_MS[filter.bucket];
  const { since: from, until: to } = filter.events;
  const asked = from === undefined ? undefined : Math.floor(from / ms) * ms;
  const end = to === undefined ? undefined : Math.ceil(to / ms) * ms;
  const until = end === undefined || isInRange(end) ? end : to;
  const [unit, most] = UNITS[filter.bucket];
  const untilSecond = until === undefined ? null : Math.floor(until / 1000);
  const oldest = queries.pluck(QUERIES.selectSeriesSince, unit, untilSecond, most);
  const since = oldest === null ? asked : Math.max(oldest * 1000, asked ?? Number.NEGATIVE_INFINITY);
  const cells: Cell[] = [];
  let reached: Reached = { next: null, scannedTo: 0 };
  if (oldest !== null) {
    const inRange = { ...filter, events: { ...filter.events, since, until } };
    if (hasSums(inRange)) storedSums(queries, inRange, cells);
    else reached = sumsOfRows(queries, inRange, cells);
  }
  const { bucket, by = null } = filter;
  return { bucket, by, ...linesOf(texts, cells), reached, since, until };
}

/** Adds the stored sums of hours. */
function storedSums(queries: Queries, filter: SeriesFilter, cells: Cell[]): void {
  const { fields, since, until } = filter.events;
  const agentType = queries.filterId('agent_type', fields.agent_type);
  if (agentType === UNKNOWN_NAME) return;
  const seconds = (time: number | undefined) => (time === undefined ? null : Math.floor(time / 1000));
  const common = {
    since: seconds(since),
    until: seconds(until),
    agent_type: agentType,
    calls: isOfCalls(filter) ? 1 : 0,
    by_agent: filter.by === 'agent_type' ? 1 : 0,
  };
  const ms = BUCKET_MS[filter.bucket];
  const add = (row: Row, own: number | undefined) => {
    const sums = row.slice(2) as readonly number[];
    if (sums[0]! > 0) cells.push({ name: own ?? row[1]!, bucket: Math.floor(row[0]! / ms) * ms, sums });
  };
  const ofName = namesOf(filter).find((kind) => kind !== 'agent_type');
  const divided = filter.by === 'agent_type' ? undefined : filter.by;
  if (ofName === undefined && divided !== undefined) {
    const ofKind = { ...common, kind: divided, limit: LIMITS.series_names };
    const names = rowsOf(queries, QUERIES.selectSeriesNames, ofKind).map(([id]) => id);
    const values = { ...ofKind, names: JSON.stringify(names) };
    for (const row of rowsOf(queries, QUERIES.selectSeriesSumsByName, values)) add(row, undefined);
    return;
  }
  const name = ofName === undefined ? 0 : queries.filterId(ofName, fields[ofName]);
  if (ofName !== undefined && name === UNKNOWN_NAME) return;
  const own = divided === undefined ? undefined : name!;
  for (const row of rowsOf(queries, QUERIES.selectSeriesSums, { ...common, name })) add(row, own);
}

/** Adds the sums of rows, newest first, as far as the budget of a page goes (rule GET-12). */
function sumsOfRows(queries: Queries, filter: SeriesFilter, cells: Cell[]): Reached {
  const knownId = (kind: string, name: string) => queries.filterId(kind, name) || null;
  const values = {
    bucket_ms: BUCKET_MS[filter.bucket],
    by: filter.by === undefined ? 0 : NAME_KINDS.indexOf(filter.by as (typeof NAME_KINDS)[number]) + 1,
    error: knownId('status', 'error'),
    step: isOfCalls(filter) ? knownId('event_type', 'plan_step') : null,
  };
  return searchSums(queries, values, filter.events, (row) => {
    const [, bucket, name] = row;
    // An event without a value is in no line.
    if (name !== null) cells.push({ name: name!, bucket: bucket!, sums: row.slice(3) as readonly number[] });
  });
}

function rowsOf(queries: Queries, sql: string, values: Readonly<Record<string, unknown>>): readonly Row[] {
  const statement = queries.prepared(sql, true);
  return statement.all(...statement.valuesOf(values)) as Row[];
}

/** Returns the buckets, oldest first, and a line for each name: the names with most events, then all others. */
function linesOf(texts: Texts, cells: readonly Cell[]): Pick<Series, 'buckets' | 'lines'> {
  const buckets = [...new Set(cells.map(({ bucket }) => bucket))].sort((a, b) => a - b);
  const places = new Map(buckets.map((bucket, place) => [bucket, place]));
  const groups = Map.groupBy(
    cells.toSorted((a, b) => a.name - b.name),
    ({ name }) => name,
  );
  const others = groups.get(0) ?? [];
  groups.delete(0);
  const named = [...groups].map(([id, ofName]) => {
    const name = texts.name(id);
    const count = ofName.reduce((sum, { sums }) => sum + sums[0]!, 0);
    return { name, bytes: Buffer.from(name), count, ofName };
  });
  named.sort((a, b) => b.count - a.count || Buffer.compare(a.bytes, b.bytes));
  const rest = [...others, ...named.slice(LIMITS.series_names).flatMap(({ ofName }) => ofName)];
  const lines: Line[] = named
    .slice(0, LIMITS.series_names)
    .map(({ name, ofName }) => ({ name, sums: sumsByBucket(places, ofName) }));
  if (rest.length > 0) lines.push({ name: null, sums: sumsByBucket(places, rest) });
  return { buckets, lines };
}

/** Adds cells to the sums of their buckets. */
function sumsByBucket(places: ReadonlyMap<number, number>, cells: readonly Cell[]): number[][] {
  const all = Array.from(places, () => [0, 0, 0, 0, 0, 0, 0, 0]);
  for (const { bucket, sums } of cells) {
    const ofBucket = all[places.get(bucket)!]!;
    for (let at = 0; at < ofBucket.length; at++) ofBucket[at]! += sums[at]!;
  }
  return all;
}
