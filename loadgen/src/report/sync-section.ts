/** The section of keeping in step: its targets, its plots, and every row; nothing where it was not measured. */
import { sceneTable, syncServers, syncTargetTable } from '../export/sync-tables.ts';
import { SYNC_READING, skippedLines, syncConditions, syncDoubts } from '../export/sync-text.ts';
import type { Result } from '../result.ts';
import { SCENE_TITLES } from '../sync/scene-titles.ts';
import { SCENE_NAMES } from '../sync/sync-result.ts';
import { figureMarkup, tableMarkup } from './figure.ts';
import { html } from './markup.ts';
import type { Section } from './sections.ts';
import { fetchesFigure, roundTripFigure, waitsFigure } from './sync-figures.ts';

export function syncSections({ sync }: Result): Section[] {
  if (sync === undefined) return [];
  const figures = [
    ...roundTripFigure(sync),
    ...syncServers(sync).flatMap((name) => fetchesFigure(sync, name)),
    ...waitsFigure(sync),
  ];
  const tables = SCENE_NAMES.flatMap((name) => {
    const table = sceneTable(sync, name);
    if (table === null) return [];
    return [
      html`<details class="wide"><summary>${SCENE_TITLES[name]}</summary>${tableMarkup(table)}</details>`,
    ];
  });
  const lines = [...syncConditions(sync), ...skippedLines(sync), ...syncDoubts(sync)];
  return [
    {
      id: 'sync',
      title: 'Keeping in step',
      body: html`<p class="intro">${SYNC_READING.replaceAll('`', '')}</p>${tableMarkup(syncTargetTable(sync))}<div class="plots">${figures.map(
        figureMarkup,
      )}</div>${tables}${lines.map((line) => html`<p class="fine">${line}</p>`)}`,
    },
  ];
}
