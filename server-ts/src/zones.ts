/** Stand-in until the branch of zones is merged. */

/** The periods that begin by the local clock. A week begins on Monday (ISO 8601). */
export type Period = 'hour' | 'day' | 'week' | 'month';

/** A time zone. */
export interface Zone {
  /** Its name, such as `Europe/Berlin`. */
  readonly name: string;
}

const HOUR_MS = 3_600_000;

/** Returns the zone with exactly this name. */
export function findZone(name: string): Zone | undefined {
  return name === 'UTC' ? { name } : undefined;
}

/** Returns the first instant of the period that contains a time. Both are Unix milliseconds. */
export function bucketStart(_zone: Zone, period: Period, timeMs: number): number {
  const length = period === 'hour' ? HOUR_MS : 24 * HOUR_MS;
  return Math.floor(timeMs / length) * length;
}

/** Returns the first instant after the period that contains a time. Both are Unix milliseconds. */
export function bucketEnd(zone: Zone, period: Period, timeMs: number): number {
  return bucketStart(zone, period, timeMs) + (period === 'hour' ? HOUR_MS : 24 * HOUR_MS);
}
