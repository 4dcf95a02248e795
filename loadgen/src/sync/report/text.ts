/** The sync suite's result as sentences: conditions, what was not measured, and warnings. */

import { commitOf } from '../../report/conditions.ts';
import { formatDuration } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { SyncResult } from '../result.ts';
import { SCENARIO_TITLES } from '../scenario-titles.ts';

export const SYNC_READING =
  'Measured with the shipped client (`Topics` and `Sync`). Medians, in parentheses minimum and maximum; ' +
  'each server has a fresh process and file in every scenario.';

export function syncConditions(sync: SyncResult): string[] {
  const { environment, quick, seed } = sync;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(sync)}, ${sync.created_at.slice(0, 10)}, in ${formatDuration(sync.took_s)}, seed ${seed}`,
    ...(quick ? ['a quick run, which makes no claim'] : []),
  ];
}

export function skippedLines({ skipped }: SyncResult): string[] {
  return skipped.map(({ scenario, server, reason }) => {
    const whose = server === null ? '' : `, ${SHORT_NAMES[server]}`;
    return `Not measured: ${SCENARIO_TITLES[scenario]}${whose}: ${reason}`;
  });
}

export function syncWarnings({ warnings }: SyncResult): string[] {
  return warnings.map(({ scenario, message, advice }) => {
    const where = scenario === null ? '' : ` ${SCENARIO_TITLES[scenario]}`;
    return `Warning${where}: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`;
  });
}
