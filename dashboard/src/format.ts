/** Formats figures and texts: short, of constant width, the same in every locale. */

const COUNTS = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a whole number as `1,234`. */
export function whole(value: number): string {
  // Does not use `Intl.NumberFormat`: the first formatter of a page takes ten milliseconds.
  return value.toFixed(0).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats a count with its noun: `1 error`, `2 errors`, `1.23k errors`. */
export function counted(count: number, name: string): string {
  return `${short(count)} ${name}${count === 1 ? '' : 's'}`;
}

/** Formats a number as three digits and a letter: `999`, `1.23k`, `45.6M`. */
export function short(value: number): string {
  return scaled(value, COUNTS, '');
}

/** Formats a size as `812 B`, `4.10 MB`, in powers of 1,000. */
export function bytes(value: number): string {
  return scaled(value, BYTES, ' ');
}

/** Formats the size of shown metadata, and that of the whole text when a summary is shown: `10.2 kB of 1.20 MB`. */
export function metadataSize(
  shown: number,
  row: { readonly payload_truncated: boolean; readonly metadata_bytes: number | null },
): string {
  const { payload_truncated: isTruncated, metadata_bytes: size } = row;
  if (!isTruncated || shown === size) return bytes(shown);
  return size === null ? `${bytes(shown)}, a summary` : `${bytes(shown)} of ${bytes(size)}`;
}

function scaled(value: number, units: readonly string[], gap: string): string {
  let [rest, unit] = [value, 0];
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  const digits = unit === 0 ? 0 : rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
  return `${rest.toFixed(digits)}${gap}${units[unit]}`.trimEnd();
}

/** Formats an amount as `$0.0042`, `$12.30`, `$1.23k`. */
export function dollars(value: number): string {
  if (value >= 1000) return `$${short(value)}`;
  if (value >= 100) return `$${value.toFixed(0)}`;
  return `$${value.toFixed(value === 0 || value >= 1 ? 2 : value >= 0.01 ? 3 : 4)}`;
}

/** Formats the duration of a call: `820 ms`, `4.2 s`, `3 m 20 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms < 10 && !Number.isInteger(ms) ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return span(ms);
}

/** Formats an age or a duration: the two largest units, at least seconds. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return two(seconds, 60, 'm', 's');
  if (seconds < 86_400) return two(Math.floor(seconds / 60), 60, 'h', 'm');
  return two(Math.floor(seconds / 3600), 24, 'd', 'h');
}

function two(small: number, per: number, largeUnit: string, smallUnit: string): string {
  const rest = small % per;
  const large = `${Math.floor(small / per)} ${largeUnit}`;
  return rest === 0 ? large : `${large} ${rest} ${smallUnit}`;
}

/** Formats a share from 0 to 1 as `0 %`, `0.4 %`, `12 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 9.95 ? value.toFixed(0) : value.toFixed(1)} %`;
}

/** Formats `2026-02-18 18:06:41.231` in the user's time zone. */
export function dateTime(at: Date): string {
  const day = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-');
  return `${day} ${timeOfDay(at)}`;
}

/** Formats `18:06:41.231` in the user's time zone. */
export function timeOfDay(at: Date): string {
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => pad(part)).join(':');
  return `${clock}.${pad(at.getMilliseconds(), 3)}`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

/**
 * Matches control characters, and characters that change the direction of text or are invisible (Unicode, bidirectional
 * algorithm, UAX 9).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Formats text on one line: white space becomes a space, an invisible character its escape, and the text ends after
 * `most` characters.
 */
export function legible(text: string, most = 400): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(HIDDEN, (hidden) => (/[\t-\r\u0085\u2028\u2029]/.test(hidden) ? ' ' : escaped(hidden)));
}

/** Returns the same JSON with invisible characters of strings as escapes; line ends between its tokens stay. */
export function legibleJson(json: string): string {
  return json.replace(HIDDEN, (hidden) => (hidden === '\n' ? hidden : escaped(hidden)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
