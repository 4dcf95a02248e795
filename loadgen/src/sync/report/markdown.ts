/** The sync suite's result as Markdown: docs/suites/sync.md. */

import { bullets, markdownTable, markdownText } from '../../report/markdown-table.ts';
import { SCENARIO_NAMES, type SyncResult } from '../result.ts';
import { SCENARIO_TITLES } from '../scenario-titles.ts';
import { scenarioTable, syncGoalTable, syncServers } from './tables.ts';
import { SYNC_READING, skippedLines, syncConditions, syncWarnings } from './text.ts';

/** Returns the whole document, with every row. */
export function syncDocument(sync: SyncResult): string {
  const scenarios = SCENARIO_NAMES.flatMap((name) => {
    const table = scenarioTable(sync, name);
    return table === null ? [] : [`## ${markdownText(SCENARIO_TITLES[name])}`, markdownTable(table)];
  });
  const lines = [
    ...syncConditions(sync).map((line) => `${line}.`),
    ...skippedLines(sync).map((line) => `${line}.`),
    ...syncWarnings(sync),
  ];
  return `${[
    '# Staying in sync',
    SYNC_READING,
    goals(sync),
    bullets(lines.map(markdownText)),
    ...scenarios,
  ].join('\n\n')}\n`;
}

function goals(sync: SyncResult): string {
  // The columns of verdicts contain text, so they are aligned to the left.
  const left = syncServers(sync).map((_, i) => 3 * i + 3);
  return markdownTable(syncGoalTable(sync), [0, ...left]);
}
