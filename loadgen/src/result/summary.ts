/**
 * The summary of a run: what the repository keeps of it.
 *
 * Invariants: it has no raw data. A figure has five significant digits, which is more than any interval settles.
 */
import { rounded } from './json.ts';
import type { RawFile, RawMeasurement, RawResult, Result } from './result.ts';

const DIGITS = 5;

export function summaryOf(result: RawResult, raw: RawFile): Result {
  const measurements = result.measurements.map(
    ({ slices: _, processes: __, ...rest }: RawMeasurement) => rest,
  );
  const ceilings = result.ceilings.map((one) => ({ ...one, samples: [] }));
  return rounded({ ...result, raw, measurements, ceilings }, DIGITS);
}
