/**
 * Reads sums of events by bucket of time and by name (rules SER-01 to SER-06).
 *
 * They come from the stored sums of hours where those suffice, else from rows, under the budget of a page. Invariant:
 * which of the two depends on the request alone.
 */
import { LIMITS } from '../contract.ts';
import { NAME_KINDS } from '../field.ts';
import { SERIES } from '../figure.ts';
import { QUERIES } from '../queries.ts';
import { addDurations, type Durations, mergeDurations } from '../render/durations.ts';
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

/** The durations of each name, when they are wanted. */
type DurationsByName = Map<number, Durations> | undefined;

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
  const durations: DurationsByName = filter.withDurations ? new Map() : undefined;
  let reached: Reached = { next: null, scannedTo: 0 };
  if (oldest !== null) {
    const inRange = { ...filter, events: { ...filter.events, since, until } };
    if (hasSums(inRange)) storedSums(queries, inRange, cells);
    else reached = sumsOfRows(queries, inRange, cells, durations);
  }
  const { bucket, by = null } = filter;
  return { bucket, by, ...linesOf(texts, cells, durations), reached, since, until };
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
function sumsOfRows(
  queries: Queries,
  filter: SeriesFilter,
  cells: Cell[],
  durations: DurationsByName,
): Reached {
  const knownId = (kind: string, name: string) => queries.filterId(kind, name) || null;
  const values = {
    bucket_ms: BUCKET_MS[filter.bucket],
    by: filter.by === undefined ? 0 : NAME_KINDS.indexOf(filter.by as (typeof NAME_KINDS)[number]) + 1,
    step: isOfCalls(filter) ? knownId('event_type', 'plan_step') : null,
    durations: durations === undefined ? 0 : 1,
  };
  return searchSums(queries, values, filter.events, (row) => {
    const [, bucket, name] = row;
    // An event without a value is in no line.
    if (name === null) return;
    cells.push({ name: name!, bucket: bucket!, sums: row.slice(3, LIST) as readonly number[] });
    const list = row[LIST] as unknown as string | null;
    if (durations !== undefined && list !== null) addDurations(durationsOf(durations, name!), list);
  });
}

/** The column with the list of durations, behind the bounds and the sums. */
const LIST = 3 + SERIES.length;

function durationsOf(durations: Map<number, Durations>, name: number): Durations {
  const known = durations.get(name);
  if (known !== undefined) return known;
  const none: Durations = new Map();
  durations.set(name, none);
  return none;
}

function rowsOf(queries: Queries, sql: string, values: Readonly<Record<string, unknown>>): readonly Row[] {
  const statement = queries.prepared(sql, true);
  return statement.all(...statement.valuesOf(values)) as Row[];
}

/** Returns the buckets, oldest first, and a line for each name: the names with most events, then all others. */
function linesOf(
  texts: Texts,
  cells: readonly Cell[],
  durations: DurationsByName,
): Pick<Series, 'buckets' | 'lines'> {
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
    return { name, id, bytes: Buffer.from(name), count, ofName };
  });
  named.sort((a, b) => b.count - a.count || Buffer.compare(a.bytes, b.bytes));
  const beyond = named.slice(LIMITS.series_names);
  const rest = [...others, ...beyond.flatMap(({ ofName }) => ofName)];
  const line = (name: string | null, ids: readonly number[], ofLine: readonly Cell[]): Line => ({
    name,
    sums: sumsByBucket(places, ofLine),
    durations: durations && durationsOfAll(durations, ids),
  });
  const lines = named.slice(0, LIMITS.series_names).map(({ name, id, ofName }) => line(name, [id], ofName));
  if (rest.length > 0) lines.push(line(null, [0, ...beyond.map(({ id }) => id)], rest));
  return { buckets, lines };
}

/** Returns the durations of these names together. */
function durationsOfAll(durations: ReadonlyMap<number, Durations>, names: readonly number[]): Durations {
  const all: Durations = new Map();
  for (const name of names) mergeDurations(all, durations.get(name) ?? new Map());
  return all;
}

/** Adds cells to the sums of their buckets. */
function sumsByBucket(places: ReadonlyMap<number, number>, cells: readonly Cell[]): number[][] {
  const all = Array.from(places, () => SERIES.map(() => 0));
  for (const { bucket, sums } of cells) {
    const ofBucket = all[places.get(bucket)!]!;
    for (let at = 0; at < ofBucket.length; at++) ofBucket[at]! += sums[at]!;
  }
  return all;
}
