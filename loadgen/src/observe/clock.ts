/**
 * Returns milliseconds of the monotonic clock, with fractions. All processes read the same clock, while each thread
 * counts `performance.now()` from its own start.
 */
export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
