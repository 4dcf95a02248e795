/** The one place that reads the wall clock, so that tests can be exact. Timers use the monotonic clock. */

/** Unix time in milliseconds. */
export function nowMs(): number {
  return Date.now();
}
