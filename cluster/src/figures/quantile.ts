/** Quantiles of measured times. */

/** Returns the smallest value that is not below this part of all values, with two decimals. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.max(0, Math.ceil(part * sorted.length) - 1);
  return Math.round((sorted[at] ?? Number.NaN) * 100) / 100;
}
