/** Reads the wall clock; timers use the monotonic clock instead. */

/** Returns the Unix time in milliseconds. */
export function nowMs(): number {
  return Date.now();
}

/** Returns the Unix time in seconds. */
export function nowS(): number {
  return Math.floor(nowMs() / 1000);
}

/** Cached text of one second: most responses leave in the same second as the previous one. */
const lastDate = { second: Number.NaN, text: '' };

/** Returns the time as HTTP writes it (RFC 9110, section 5.6.7): `Sat, 21 Nov 2026 02:00:00 GMT`. */
export function httpDate(): string {
  const now = nowMs();
  const second = Math.floor(now / 1000);
  if (second !== lastDate.second) {
    lastDate.second = second;
    lastDate.text = new Date(now).toUTCString();
  }
  return lastDate.text;
}
