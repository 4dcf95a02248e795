/**
 * The time range of the overview, which all of its panels share and the address holds.
 *
 * Invariant: a range begins with a whole hour, because statistics do (rule STA-05). So all panels cover the same time.
 */
export const RANGES = ['hour', 'today', 'week', 'month'] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  hour: 'Last hour',
  today: 'Today',
  week: 'This week',
  month: '30 days',
};

const HOUR_MS = 3_600_000;

export function rangeIn(text: string | null): Range | null {
  return RANGES.find((name) => name === text) ?? null;
}

/** Returns the beginning of a range in the user's time zone, as RFC 3339. */
export function sinceOf(range: Range, now: Date): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  // A week begins on Monday.
  if (range === 'week') day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
  if (range === 'month') day.setDate(day.getDate() - 29);
  const from_ms = range === 'hour' ? now.getTime() - HOUR_MS : day.getTime();
  return new Date(Math.floor(from_ms / HOUR_MS) * HOUR_MS).toISOString();
}
