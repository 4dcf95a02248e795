/**
 * Finds the hours, days, weeks and months of a time zone (rules PRO-23 and PRO-24).
 *
 * Pure. The changes of the clocks are those of `zones.json`, so both servers use equal data on every machine. Before
 * the first day of the file its first offset counts, and after the last day its last offset.
 */
import { ZONES } from './contract.ts';
import { formatTimestamp } from './timestamp.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** No offset is larger in either direction. */
const LARGEST_OFFSET_MS = 15 * HOUR_MS;
/** More days than a month has, and fewer than two months have. */
const MONTH_DAYS = 31;
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 3;
const WEEK_DAYS = 7;

/** The time zone of UTC. */
export const UTC = 'UTC';

/** The periods that begin by the local clock. A week begins on Monday (ISO 8601). */
export type Period = 'hour' | 'day' | 'week' | 'month';

/** From this time on, local time is that of UTC and this offset. */
interface Change {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/** A time zone. */
export interface Zone {
  /** Its name, such as `Europe/Berlin`. */
  readonly name: string;
  /** The first one has no beginning. */
  readonly changes: readonly Change[];
}

/** `zones.json`. */
interface ZonesFile {
  readonly first: string;
  /** The zones with equal changes. */
  readonly tables: readonly { readonly names: string; readonly changes: string }[];
}

let parsed: ZonesFile | undefined;

/** Returns the file. It is parsed once, and only in threads that need it. */
function file(): ZonesFile {
  parsed ??= JSON.parse(ZONES) as ZonesFile;
  return parsed;
}

/** Returns the zone with exactly this name. */
export function findZone(name: string): Zone | undefined {
  const table = file().tables.find(({ names }) => names.split(' ').includes(name));
  return table && { name, changes: changesOf(table.changes) };
}

/** Returns the names of all zones. */
export function zoneNames(): string[] {
  return file().tables.flatMap(({ names }) => names.split(' '));
}

/** Returns the first instant of the period that contains a time. Both are Unix milliseconds. */
export function bucketStart(zone: Zone, period: Period, timeMs: number): number {
  if (period !== 'hour') return dayStart(zone, firstDay(period, dayAt(zone, timeMs)));
  const { change, start } = hourAround(zone, timeMs);
  return shiftsMinutes(zone, change) ? Math.max(start, zone.changes[change]!.fromMs) : start;
}

/** Returns the first instant after the period that contains a time. Both are Unix milliseconds. */
export function bucketEnd(zone: Zone, period: Period, timeMs: number): number {
  if (period !== 'hour') return dayStart(zone, nextDay(period, dayAt(zone, timeMs)));
  const { change, end } = hourAround(zone, timeMs);
  return shiftsMinutes(zone, change + 1) ? Math.min(end, zone.changes[change + 1]!.fromMs) : end;
}

/** Returns the date of the local day that contains a time, such as `2026-11-27`. */
export function localDate(zone: Zone, timeMs: number): string {
  return formatTimestamp(dayAt(zone, timeMs) * DAY_MS).slice(0, 'YYYY-MM-DD'.length);
}

/** Parses the first offset, then each change with the minutes since the previous one. */
function changesOf(text: string): readonly Change[] {
  const [first, ...words] = text.split(' ');
  const changes = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: Number(first) * MINUTE_MS }];
  let fromMs = Date.parse(file().first);
  for (const word of words) {
    const [since, offset] = word.split(':');
    fromMs += Number(since) * MINUTE_MS;
    changes.push({ fromMs, offsetMs: Number(offset) * MINUTE_MS });
  }
  return changes;
}

/** Returns the index of the change that holds at a time. */
function changeAt({ changes }: Zone, timeMs: number): number {
  let [low, high] = [0, changes.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.fromMs <= timeMs) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the change that holds at a time, and the bounds of the hour by its offset. */
function hourAround(zone: Zone, timeMs: number): { change: number; start: number; end: number } {
  const change = changeAt(zone, timeMs);
  const { offsetMs } = zone.changes[change]!;
  const start = Math.floor((timeMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
  return { change, start, end: start + HOUR_MS };
}

/** Returns whether a change moves the minutes of the clock. Such a change ends an hour. */
function shiftsMinutes({ changes }: Zone, change: number): boolean {
  const [previous, next] = [changes[change - 1], changes[change]];
  if (previous === undefined || next === undefined) return false;
  return (next.offsetMs - previous.offsetMs) % HOUR_MS !== 0;
}

/** Returns the day that contains a time, as days since 1970-01-01. */
function dayAt(zone: Zone, timeMs: number): number {
  const local = Math.floor((timeMs + zone.changes[changeAt(zone, timeMs)]!.offsetMs) / DAY_MS);
  // A clock that was set back from shortly after midnight shows the date of the day before again.
  return dayStart(zone, local + 1) <= timeMs ? local + 1 : local;
}

/** Returns the first instant with the date of a day. The clocks of a few zones skipped a day; it is empty. */
function dayStart(zone: Zone, day: number): number {
  const midnight = day * DAY_MS;
  for (let index = changeAt(zone, midnight - LARGEST_OFFSET_MS); ; index++) {
    const { fromMs, offsetMs } = zone.changes[index]!;
    const start = Math.max(fromMs, midnight - offsetMs);
    const next = zone.changes[index + 1];
    if (next === undefined || start < next.fromMs) return start;
  }
}

/** Returns the first day of the week or the month that contains a day. */
function firstDay(period: Period, day: number): number {
  if (period === 'week') return day - ((((day + EPOCH_WEEKDAY) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS);
  if (period === 'month') return day - (new Date(day * DAY_MS).getUTCDate() - 1);
  return day;
}

/** Returns the first day after the period that contains a day. */
function nextDay(period: Period, day: number): number {
  const first = firstDay(period, day);
  if (period === 'week') return first + WEEK_DAYS;
  return period === 'month' ? firstDay(period, first + MONTH_DAYS) : first + 1;
}
