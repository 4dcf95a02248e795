/**
 * Converts RFC 3339 date-times to Unix milliseconds and back (rule EVT-08).
 *
 * Pure: no `Date.parse`, whose grammar is wider and differs between engines.
 */

const DAY_MS = 86_400_000;
/** Unix milliseconds of 0000-01-01T00:00:00.000Z and of 9999-12-31T23:59:59.999Z. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Returns Unix milliseconds; `undefined` when the text is not an RFC 3339 date-time of the years 0000 to 9999 in UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  if (text.length > 256) return undefined;
  const bytes = Buffer.from(text, 'utf8');
  const value = parseTimestampBytes(bytes, 0, bytes.length);
  return Number.isNaN(value) ? undefined : value;
}

/** Does the same for the bytes from `start` up to `end`; returns NaN for any other text. */
export function parseTimestampBytes(bytes: Buffer, start: number, end: number): number {
  // The shortest form is 2026-02-18T18:06:41Z.
  if (end - start < 20) return Number.NaN;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  const second = digits(bytes, start + 17, 2);
  const punctuated =
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    (bytes[start + 10]! | 0x20) === 0x74 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a;
  if (!punctuated || year < 0 || !isDay(year, month, day)) return Number.NaN;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return Number.NaN;

  let at = start + 19;
  let milliseconds = 0;
  if (bytes[at] === 0x2e) {
    const first = ++at;
    for (let weight = 100; at < end && isDigit(bytes[at]!); at++) {
      // Digits finer than milliseconds are dropped: their weight is below 1.
      if (weight >= 1) milliseconds += (bytes[at]! - 0x30) * weight;
      weight /= 10;
    }
    if (at === first) return Number.NaN;
  }
  const offset = offsetMinutes(bytes, at, end);
  const local = daysFromCivil(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
  const value = local + milliseconds - offset * 60_000;
  return isInRange(value) ? value : Number.NaN;
}

/** Returns whether Unix milliseconds are in the years 0000 to 9999 in UTC. */
export function isInRange(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** Formats Unix milliseconds as `2026-02-18T18:06:41.231Z`. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Parses `Z` or `±hh:mm` up to the end; NaN for any other text. */
function offsetMinutes(bytes: Buffer, at: number, end: number): number {
  const sign = bytes[at]!;
  if (end - at === 1) return (sign | 0x20) === 0x7a ? 0 : Number.NaN;
  if (end - at !== 6 || (sign !== 0x2b && sign !== 0x2d) || bytes[at + 3] !== 0x3a) return Number.NaN;
  const hours = digits(bytes, at + 1, 2);
  const minutes = digits(bytes, at + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  return (sign === 0x2d ? -1 : 1) * (hours * 60 + minutes);
}

/** Parses `count` decimal digits; a negative number for any other text. */
function digits(bytes: Buffer, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) {
    const byte = bytes[at]!;
    if (!isDigit(byte)) return -1;
    value = value * 10 + byte - 0x30;
  }
  return value;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > MONTH_DAYS[month - 1]!) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month !== 2 || day < 29 || leap;
}

/**
 * Returns days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March, so leap days come last.
 */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
