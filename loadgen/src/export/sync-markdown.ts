/** What keeping in step comes to, as Markdown: a block of the README, and a section of docs/benchmark-results.md. */
import { SCENE_TITLES } from '../sync/scene-titles.ts';
import { SCENE_NAMES, type SyncResult } from '../sync/sync-result.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { sceneTable, syncServers, syncTargetTable } from './sync-tables.ts';
import { SYNC_READING, skippedLines, syncConditions, syncDoubts } from './sync-text.ts';

/** What the targets were measured under. */
export function syncConditionsMarkdown(sync: SyncResult): string {
  const lines = [...syncConditions(sync).map((line) => `${line}.`), ...syncDoubts(sync)];
  return `${bullets(lines.map(markdownText))}\n`;
}

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
