/** The section of staying in sync: its goals, its plots, and every row; nothing where it was not measured. */

import { figureMarkup, tableMarkup } from '../../report/html/figure.ts';
import { html } from '../../report/html/markup.ts';
import type { Section } from '../../report/html/sections.ts';
import type { Result } from '../../result/result.ts';
import { SCENARIO_NAMES } from '../result.ts';
import { SCENARIO_TITLES } from '../scenario-titles.ts';
import { fetchesFigure, roundTripFigure, waitsFigure } from './figures.ts';
import { scenarioTable, syncGoalTable, syncServers } from './tables.ts';
import { SYNC_READING, skippedLines, syncConditions, syncDoubts } from './text.ts';

export function syncSections({ sync }: Result): Section[] {
  if (sync === undefined) return [];
  const figures = [
    ...roundTripFigure(sync),
    ...syncServers(sync).flatMap((name) => fetchesFigure(sync, name)),
    ...waitsFigure(sync),
  ];
  const tables = SCENARIO_NAMES.flatMap((name) => {
    const table = scenarioTable(sync, name);
    if (table === null) return [];
    return [
      html`<details class="wide"><summary>${SCENARIO_TITLES[name]}</summary>${tableMarkup(table)}</details>`,
    ];
  });
  const lines = [...syncConditions(sync), ...skippedLines(sync), ...syncDoubts(sync)];
  return [
    {
      id: 'sync',
      title: 'Staying in sync',
      body: html`<p class="intro">${SYNC_READING.replaceAll('`', '')}</p>${tableMarkup(syncGoalTable(sync))}<div class="plots">${figures.map(
        figureMarkup,
      )}</div>${tables}${lines.map((line) => html`<p class="fine">${line}</p>`)}`,
    },
  ];
}
