/**
 * The summary of a run: what the repository keeps of it.
 *
 * Invariants: it has no raw data. A figure has five significant digits, which is more than any interval settles.
 */
import type { RawFile, RawMeasurement, RawResult, Result } from './result.ts';

const DIGITS = 5;

export function summaryOf(result: RawResult, raw: RawFile): Result {
  const measurements = result.measurements.map(
    ({ slices: _, processes: __, ...rest }: RawMeasurement) => rest,
  );
  return rounded({
    ...result,
    raw,
    measurements,
    ceilings: result.ceilings.map((one) => ({ ...one, samples: [] })),
  });
}

/** Whole numbers stay as they are. */
function rounded<Value>(value: Value): Value {
  if (typeof value === 'number')
    return (Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS))) as Value;
  if (Array.isArray(value)) return value.map(rounded) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rounded(one)])) as Value;
}
