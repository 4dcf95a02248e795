/** The reasons to distrust a run of `bench:sync`, from the same closed list as those of a comparison. */
import { type MachineTicks, machineLoad } from '../machine.ts';
import type { WarningCode } from '../warning.ts';
import { ADVICE, type RunGrounds, reasonsToDistrustRun } from '../warnings.ts';
import type { FigureKey } from './figure.ts';
import type { SceneName, SyncRow, SyncWarning } from './sync-result.ts';

/** Of all cores' time. */
const STOLEN = 0.02;

/** What a target is held against is judged by its spread; of others it says little. */
const JUDGED: readonly FigureKey[] = [
  'end_to_end_ms',
  'staleness_p99_ms',
  'saturated_events_per_s',
  'open_ms',
];
/** Between rounds; waits of milliseconds vary more than throughput. */
const HIGH_SPREAD = 0.5;

export function doubtsAbout(grounds: RunGrounds, quick: boolean): SyncWarning[] {
  const few: SyncWarning[] = quick
    ? [warning('few_rounds', 'a quick run: counts too small for a claim')]
    : [];
  return [...reasonsToDistrustRun(grounds).map((one) => ({ ...one, scene: null })), ...few];
}

export function doubtsAboutScene(
  scene: SceneName,
  rows: readonly SyncRow[],
  before: MachineTicks | null,
  after: MachineTicks | null,
): SyncWarning[] {
  const found: SyncWarning[] = [];
  const stolen = machineLoad(before, after, null, null).stolen_share ?? 0;
  if (stolen > STOLEN)
    found.push(
      warning('stolen_time', `${(stolen * 100).toFixed(1)} % of the cores' time was given to others`, scene),
    );
  for (const key of JUDGED) {
    const wide = rows.filter((row) => (row.figures[key]?.spread ?? 0) > HIGH_SPREAD);
    if (wide.length === 0) continue;
    const most = Math.max(...wide.map((row) => row.figures[key]!.spread ?? 0));
    const cases = `${key} varied by up to ${Math.round(most * 100)} % in ${wide.length} of ${rows.length} cases`;
    found.push(warning('high_spread', cases, scene));
  }
  return found;
}

function warning(code: WarningCode, message: string, scene: SceneName | null = null): SyncWarning {
  return { code, message, advice: ADVICE[code], scene };
}
