/** What keeping in step comes to, as Markdown: a section of docs/benchmark-results.md. */
import { syncPictureText } from '../report/sync-picture.ts';
import { SCENE_TITLES } from '../sync/scene-titles.ts';
import { SCENE_NAMES, type SyncResult } from '../sync/sync-result.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { sceneTable, syncServers, syncTargetTable } from './sync-tables.ts';
import { SYNC_READING, skippedLines, syncConditions, syncDoubts } from './sync-text.ts';

/** The picture of that section, in the same folder. */
export const SYNC_PICTURE = 'keeping-in-step.svg';

/** With every row. */
export function syncSection(sync: SyncResult): string {
  const scenes = SCENE_NAMES.flatMap((name) => {
    const table = sceneTable(sync, name);
    return table === null ? [] : [`### ${markdownText(SCENE_TITLES[name])}`, markdownTable(table)];
  });
  const lines = [
    ...syncConditions(sync).map((line) => `${line}.`),
    ...skippedLines(sync).map((line) => `${line}.`),
    ...syncDoubts(sync),
  ];
  return [
    '## Keeping in step',
    SYNC_READING,
    `![${syncPictureText(sync)}](${SYNC_PICTURE})`,
    targets(sync),
    bullets(lines.map(markdownText)),
    ...scenes,
  ].join('\n\n');
}

function targets(sync: SyncResult): string {
  // The verdict beside each figure is text.
  const left = syncServers(sync).map((_, i) => 3 * i + 3);
  return markdownTable(syncTargetTable(sync), [0, ...left]);
}
