/**
 * Describes a time series: its events, the length of its buckets, and the field that divides it (rules SER-01 to SER-03).
 */
import { LIMITS } from '../contract.ts';
import { type FieldName, NAME_KINDS, TEXT_FILTERS } from '../field.ts';
import { bucketEnd, bucketStart, type Period, type Zone } from '../zones.ts';
import type { EventFilter } from './query.ts';
import { QUARTER_MS } from './stats.ts';

/** The length of a bucket. */
export type Bucket = 'minute' | Period;

/** The events of a series, and how they are divided. */
export interface SeriesFilter {
  readonly events: EventFilter;
  readonly bucket: Bucket;
  /** The zone of the buckets. */
  readonly zone: Zone;
  /** A field with a dictionary. */
  readonly by: FieldName | undefined;
  /** Whether durations are counted in classes (rule SER-06). */
  readonly withDurations: boolean;
}

const MINUTE_MS = 60_000;

/** Returns the beginning of the bucket of a time, both in Unix milliseconds. */
export function startOf(bucket: Bucket, zone: Zone, ms: number): number {
  return bucket === 'minute' ? Math.floor(ms / MINUTE_MS) * MINUTE_MS : bucketStart(zone, bucket, ms);
}

/** Returns the end of the bucket of a time, exclusive, both in Unix milliseconds. */
export function endOf(bucket: Bucket, zone: Zone, ms: number): number {
  return bucket === 'minute' ? startOf(bucket, zone, ms) + MINUTE_MS : bucketEnd(zone, bucket, ms);
}

/** Returns the milliseconds of the parts that rows are summed up by. Each part is in one bucket. */
export function partMs(bucket: Bucket): number {
  return bucket === 'minute' ? MINUTE_MS : QUARTER_MS;
}

/** Returns the unit that bounds a series, and the most units of a series (rule SER-02). */
export function unitsOf(bucket: Bucket): readonly [unit: Bucket, most: number] {
  return bucket === 'minute' ? ['hour', LIMITS.series_buckets / 60] : [bucket, LIMITS.series_buckets];
}

/** Returns whether the stored sums suffice (rule SER-03). They are by quarter of an hour, agent and one name. */
export function hasSums(filter: SeriesFilter): boolean {
  const { fields, sessionId, text, before } = filter.events;
  const isWhole = [sessionId, text, before, ...TEXT_FILTERS.map((name) => fields[name])].every(
    (wanted) => wanted === undefined,
  );
  const kinds = new Set([...namesOf(filter), ...(filter.by === undefined ? [] : [filter.by])]);
  kinds.delete('agent_type');
  return filter.bucket !== 'minute' && isWhole && !filter.withDurations && kinds.size <= 1;
}

/** Returns the fields of the filters that compare names. */
export function namesOf({ events }: SeriesFilter): FieldName[] {
  return NAME_KINDS.filter((kind) => events.fields[kind] !== undefined);
}

/** Returns whether the events are calls, so that steps do not count (rule STA-02). */
export function isOfCalls(filter: SeriesFilter): boolean {
  return filter.by === 'tool_name' || namesOf(filter).includes('tool_name');
}
