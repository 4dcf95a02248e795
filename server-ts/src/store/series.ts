/**
 * Reads sums of events by bucket of time and by name (rules SER-01 to SER-06).
 *
 * They come from the stored sums of quarters of an hour where those suffice, else from rows, under the budget of a page. Invariant:
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
import {
  endOf,
  hasSums,
  isOfCalls,
  namesOf,
  partMs,
  type SeriesFilter,
  startOf,
  unitsOf,
} from './series-filter.ts';
import { ALL_TIME } from './stats.ts';

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
  const { bucket, zone, by = null } = filter;
  const { since: from, until: to } = filter.events;
  const orAsked = (rounded: number, asked: number) => (isInRange(rounded) ? rounded : asked);
  const asked = from === undefined ? undefined : orAsked(startOf(bucket, zone, from), from);
  const until = to === undefined ? undefined : orAsked(endOf(bucket, zone, to - 1), to);
  const units = newestUnits(queries, filter, until);
  const [oldest] = units;
  const since = oldest === undefined ? asked : Math.max(oldest, asked ?? Number.NEGATIVE_INFINITY);
  const cells: Cell[] = [];
  const durations: DurationsByName = filter.withDurations ? new Map() : undefined;
  let reached: Reached = { next: null, scannedTo: 0 };
  if (oldest !== undefined) {
    const inRange = { ...filter, events: { ...filter.events, since, until } };
    if (hasSums(inRange)) storedSums(queries, inRange, units, cells);
    else reached = sumsOfRows(queries, inRange, cells, durations);
  }
  return { bucket, tz: zone.name, by, ...linesOf(texts, cells, durations), reached, since, until };
}

/** Returns the beginnings of the newest units of time with sums, oldest first (rule SER-02). */
function newestUnits(queries: Queries, { bucket, zone }: SeriesFilter, until: number | undefined): number[] {
  const [unit, most] = unitsOf(bucket);
  const units: number[] = [];
  let below = until ?? ALL_TIME * 1000;
  while (units.length < most) {
    // A quarter that begins before the bound may end after it, in a series of minutes alone.
    const quarter = queries.pluck(QUERIES.selectQuarterBefore, Math.ceil(below / 1000));
    if (quarter === null) break;
    below = startOf(unit, zone, quarter * 1000);
    units.push(below);
  }
  return units.reverse();
}

/** A bucket, and its bounds in Unix seconds. */
type BucketRange = readonly [bucket: number, since: number, until: number];

/** Adds the stored sums of these buckets. */
function storedSums(queries: Queries, filter: SeriesFilter, buckets: readonly number[], cells: Cell[]): void {
  const { fields, since } = filter.events;
  const agentType = queries.filterId('agent_type', fields.agent_type);
  if (agentType === UNKNOWN_NAME) return;
  const ranges: readonly BucketRange[] = buckets
    .filter((bucket) => since === undefined || bucket >= since)
    .map((bucket) => [bucket, bucket / 1000, endOf(filter.bucket, filter.zone, bucket) / 1000]);
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined) return;
  const common = {
    agent_type: agentType,
    calls: isOfCalls(filter) ? 1 : 0,
    by_agent: filter.by === 'agent_type' ? 1 : 0,
  };
  const addAll = (sql: string, values: Readonly<Record<string, unknown>>, own: number | undefined) => {
    for (const [bucket, since, until] of ranges) {
      for (const row of rowsOf(queries, sql, { ...values, since, until })) {
        const sums = row.slice(1) as readonly number[];
        if (sums[0]! > 0) cells.push({ name: own ?? row[0]!, bucket, sums });
      }
    }
  };
  const ofName = namesOf(filter).find((kind) => kind !== 'agent_type');
  const divided = filter.by === 'agent_type' ? undefined : filter.by;
  if (ofName === undefined && divided !== undefined) {
    const ofKind = { ...common, kind: divided, limit: LIMITS.series_names };
    const whole = { ...ofKind, since: first[1], until: last[2] };
    const names = rowsOf(queries, QUERIES.selectSeriesNames, whole).map(([id]) => id);
    addAll(QUERIES.selectSeriesSumsByName, { ...ofKind, names: JSON.stringify(names) }, undefined);
    return;
  }
  const name = ofName === undefined ? 0 : queries.filterId(ofName, fields[ofName]);
  if (ofName !== undefined && name === UNKNOWN_NAME) return;
  const own = divided === undefined ? undefined : name!;
  addAll(QUERIES.selectSeriesSums, { ...common, name }, own);
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
    bucket_ms: partMs(filter.bucket),
    by: filter.by === undefined ? 0 : NAME_KINDS.indexOf(filter.by as (typeof NAME_KINDS)[number]) + 1,
    step: isOfCalls(filter) ? knownId('event_type', 'plan_step') : null,
    durations: durations === undefined ? 0 : 1,
  };
  return searchSums(queries, values, filter.events, (row) => {
    const [, part, name] = row;
    // An event without a value is in no line.
    if (name === null) return;
    const bucket = startOf(filter.bucket, filter.zone, part!);
    cells.push({ name: name!, bucket, sums: row.slice(3, LIST) as readonly number[] });
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
