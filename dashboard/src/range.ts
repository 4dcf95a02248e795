/**
 * The time range of the overview, which all of its panels share and the address holds.
 *
 * Invariant: a range begins with a whole quarter of an hour, because statistics do (rule STA-05). So all panels cover the
 * same time. Only plots begin with the whole hour of UTC that has it.
 */
import { dateOf, firstInstantOf } from './days.ts';

export const RANGES = ['hour', 'today', 'week', 'month'] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  hour: 'Last hour',
  today: 'Today',
  week: 'This week',
  month: '30 days',
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function rangeIn(text: string | null): Range | null {
  return RANGES.find((name) => name === text) ?? null;
}

/** Returns the beginning of a range as RFC 3339. Days are those of `zone`, or without it of the browser. */
export function sinceOf(range: Range, now: Date, zone: string | null = null): string {
  if (range === 'hour')
    return new Date(Math.floor((now.getTime() - HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
  const today = dateOf(now, zone);
  // A week begins on Monday.
  const back = { today: 0, week: (new Date(today).getUTCDay() + 6) % 7, month: 29 }[range];
  return firstInstantOf(today - back * DAY_MS, zone).toISOString();
}
