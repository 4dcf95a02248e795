/**
 * Makes the summary of a run, which the repository keeps.
 *
 * Invariants: the summary has no raw data. A figure has four significant digits, more than any interval supports. A
 * warning has only its code and message.
 */
import type { SeenWarning } from '../analyse/warning.ts';
import { rounded } from './json.ts';
import type { RawFile, RawMeasurement, RawResult, Result } from './result.ts';

const DIGITS = 4;

export function summaryOf(result: RawResult, raw: RawFile | null): Result {
  const measurements = result.measurements.map(({ slices: _, processes: __, ...rest }: RawMeasurement) => ({
    ...rest,
    warnings: rest.warnings.map(seen),
  }));
  const ceilings = result.ceilings.map((one) => ({ ...one, samples: [] }));
  return rounded({ ...result, raw, measurements, ceilings, warnings: result.warnings.map(seen) }, DIGITS);
}

function seen({ code, message }: SeenWarning): SeenWarning {
  return { code, message };
}
