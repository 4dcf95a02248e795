/** What a result says of keeping in step, as sentences: conditions, what was left out, doubts. */
import { SCENE_TITLES } from '../sync/scene-titles.ts';
import type { SyncResult } from '../sync/sync-result.ts';
import { commitOf } from './conditions.ts';
import { formatDuration } from './format.ts';
import { SHORT_NAMES } from './names.ts';

export const SYNC_READING =
  'Measured with the shipped client (`Topics` and `Sync`). Medians, in parentheses minimum and maximum; ' +
  'each server has a fresh process and file in every scene.';

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
  return skipped.map(({ scene, server, reason }) => {
    const whose = server === null ? '' : `, ${SHORT_NAMES[server]}`;
    return `Not measured: ${SCENE_TITLES[scene]}${whose}: ${reason}`;
  });
}

export function syncDoubts({ warnings }: SyncResult): string[] {
  return warnings.map(({ scene, message, advice }) => {
    const where = scene === null ? '' : ` ${SCENE_TITLES[scene]}`;
    return `Reason to distrust${where}: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`;
  });
}
