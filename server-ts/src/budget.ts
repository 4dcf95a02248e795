/**
 * Amounts of a budget in whole cents, and the day that it holds for (rule NOT-05).
 *
 * Pure. A day is that of `--time-zone`.
 */
import { LIMITS } from './contract.ts';
import { bucketEnd, bucketStart, localDate, type Zone } from './zones.ts';

/** A day of a time zone. */
export interface Day {
  /** Its date, such as `2026-11-27`. */
  readonly date: string;
  /** Its beginning in Unix seconds. */
  readonly startS: number;
  /** The beginning of the next day. */
  readonly endS: number;
}

/** Returns the day of a time in Unix milliseconds. */
export function dayOf(zone: Zone, nowMs: number): Day {
  const [startMs, endMs] = [bucketStart(zone, 'day', nowMs), bucketEnd(zone, 'day', nowMs)];
  return { date: localDate(zone, nowMs), startS: startMs / 1000, endS: endMs / 1000 };
}

/** Returns the cents of an amount such as `10` or `2.50`; `undefined` for any other text. */
export function parseBudget(text: string): number | undefined {
  const parts = /^([0-9]{1,7})(?:\.([0-9]{1,2}))?$/.exec(text);
  if (parts === null) return undefined;
  const cents = Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
  return cents > 0 && cents <= LIMITS.max_cost_usd * 100 ? cents : undefined;
}

/** Returns the cents of a sum in US dollars, rounded half up. */
export function centsOf(usd: number): number {
  return Math.round(usd * 100);
}

/** Returns an amount with two decimals. */
export function dollarsText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** Returns an amount as a JSON number. */
export function dollarsJson(cents: number): number {
  return cents / 100;
}
