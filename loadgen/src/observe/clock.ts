/**
 * Milliseconds of the monotonic clock, with fractions.
 *
 * Invariant: every thread of a process reads the same clock, which `performance.now()` does not
 * promise, since each thread counts from its own start. Says nothing of the time of day.
 */

export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
