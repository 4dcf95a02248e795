/** The warnings about a scenario of `bench:sync`, from the same closed list as those of a comparison. */
import { warningOf } from '../analyse/warnings.ts';
import type { MachineTicks } from '../observe/machine.ts';
import { stolenWarnings } from '../run/suite-run.ts';
import type { FigureKey } from './figure.ts';
import type { ScenarioName, SyncRow, SyncWarning } from './result.ts';

/** Figures with a goal. Only their spread causes a warning. */
const JUDGED: readonly FigureKey[] = [
  'end_to_end_ms',
  'staleness_p99_ms',
  'saturated_events_per_s',
  'open_ms',
];
/** Spread between rounds that causes a warning. Waits of milliseconds vary more than throughput does. */
const HIGH_SPREAD = 0.5;

export function scenarioWarnings(
  scenario: ScenarioName,
  rows: readonly SyncRow[],
  before: MachineTicks | null,
  after: MachineTicks | null,
): SyncWarning[] {
  const found = stolenWarnings(before, after);
  for (const key of JUDGED) {
    const wide = rows.filter((row) => (row.figures[key]?.spread ?? 0) > HIGH_SPREAD);
    if (wide.length === 0) continue;
    const most = Math.max(...wide.map((row) => row.figures[key]!.spread ?? 0));
    const cases = `${key} varied by up to ${Math.round(most * 100)} % in ${wide.length} of ${rows.length} cases`;
    found.push(warningOf('wide_spread', cases));
  }
  return found.map((warning) => ({ ...warning, scenario }));
}
