/**
 * Returns milliseconds of the monotonic clock, with fractions.
 *
 * Invariant: all processes read the same clock. `performance.now()` does not guarantee that, since each thread counts
 * from its own start.
 */

export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
