/**
 * Reads the wall clock; timers use the monotonic clock instead.
 *
 * Invariant: a time is from `clock_least_ms` to `clock_most_ms`, so that each text of it has the same form. While the
 * clock shows another time, the last one within these bounds counts (rule PRO-22). All threads share it.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { LIMITS } from './contract.ts';

const KEY = 'clock';
const memory = (getEnvironmentData(KEY) as SharedArrayBuffer | undefined) ?? new SharedArrayBuffer(8);
setEnvironmentData(KEY, memory);
/** The last time within the bounds, in Unix milliseconds; 0 without one. */
const last = new Float64Array(memory);

/** Returns the Unix time in milliseconds. */
export function nowMs(): number {
  const now = Date.now();
  if (now >= LIMITS.clock_least_ms && now <= LIMITS.clock_most_ms) last[0] = now;
  return last[0]!;
}

/** Returns whether the clock shows a time within the bounds. A server starts only then. */
export function isSound(): boolean {
  return nowMs() > 0;
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
