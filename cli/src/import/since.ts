/** Reads `--since` of an import: a time, or a day that begins at midnight in a time zone. */

/** A time in Unix milliseconds, or a day such as `2026-01-31`. */
export type Since = { readonly ms: number } | { readonly day: string };

const QUARTER_MS = 900_000;
/** No time zone is farther from UTC. */
const FARTHEST_MS = 15 * 3_600_000;

/** Returns what a text names; `undefined` when it is neither a day nor a time. */
export function parseSince(text: string): Since | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    // `Date` takes 2026-02-30 for a day of March.
    const utc = new Date(text);
    const isDay = !Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(text);
    return isDay ? { day: text } : undefined;
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : { ms };
}

/**
 * Returns the first instant in Unix milliseconds. A day is that of the time zone of the server, whose sums have the same
 * days, or that of this machine without one. If the clock skips midnight, the first instant after it counts.
 */
export function firstInstant(since: Since, zone: string | undefined): number {
  if ('ms' in since) return since.ms;
  const { timeZone } = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).resolvedOptions();
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone });
  let ms = Date.parse(since.day) - FARTHEST_MS;
  while (dates.format(ms) < since.day) ms += QUARTER_MS;
  return ms;
}
