/**
 * Describes a time series: its events, the length of its buckets, and the field that divides it (rules SER-01 to SER-03).
 */
import { LIMITS } from '../contract.ts';
import { type FieldName, NAME_KINDS, TEXT_FILTERS } from '../field.ts';
import type { EventFilter } from './query.ts';

/** The length of a bucket. */
export type Bucket = 'minute' | 'hour' | 'day';

/** The events of a series, and how they are divided. */
export interface SeriesFilter {
  readonly events: EventFilter;
  readonly bucket: Bucket;
  /** A field with a dictionary. */
  readonly by: FieldName | undefined;
  /** Whether durations are counted in classes (rule SER-06). */
  readonly withDurations: boolean;
}

/** The milliseconds of a bucket. */
export const BUCKET_MS: Readonly<Record<Bucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The seconds of the unit that bounds a series, and the most units of a series (rule SER-02). */
export const UNITS: Readonly<Record<Bucket, readonly [seconds: number, most: number]>> = {
  minute: [3600, LIMITS.series_buckets / 60],
  hour: [3600, LIMITS.series_buckets],
  day: [86_400, LIMITS.series_buckets],
};

/** Returns whether the stored sums of hours suffice (rule SER-03). They are by hour, agent and one name. */
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
