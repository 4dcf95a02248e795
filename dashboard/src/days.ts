/**
 * Days of the server's time zone (rule PRO-24), for a browser in another one.
 *
 * A date is the Unix time of its midnight in UTC. A zone of null is that of the browser.
 */
const QUARTER_MS = 900_000;
/** No zone is as far from UTC. */
const FAR_MS = 15 * 3_600_000;

/** Returns a zone that is not the browser's; null for the browser's, and for a name that it does not know. */
export function otherZone(name: string | undefined): string | null {
  if (name === undefined) return null;
  try {
    const zone = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return zone === new Intl.DateTimeFormat().resolvedOptions().timeZone ? null : name;
  } catch {
    return null;
  }
}

/** Returns the local date of an instant. */
export function dateOf(at: Date, zone: string | null): number {
  if (zone === null) return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return dateIn(zone)(at.getTime());
}

/** Returns the first instant with this local date. It is later than 0:00 where the clock skips midnight. */
export function firstInstantOf(date: number, zone: string | null): Date {
  const utc = new Date(date);
  if (zone === null) return new Date(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  const of = dateIn(zone);
  let at = date - FAR_MS;
  while (of(at) < date) at += QUARTER_MS;
  return new Date(at);
}

function dateIn(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (at) => {
    const [month, day, year] = format.format(at).split('/').map(Number);
    return Date.UTC(year!, month! - 1, day);
  };
}
