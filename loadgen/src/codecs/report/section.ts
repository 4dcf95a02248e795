/** The section of formats and transports: goals, short tables, every row; nothing where it was not measured. */

import { tableMarkup } from '../../report/html/figure.ts';
import { html } from '../../report/html/markup.ts';
import type { Section } from '../../report/html/sections.ts';
import type { Result } from '../../result/result.ts';
import { SCENARIO_NAMES } from '../result.ts';
import { questionsOf } from './questions.ts';
import {
  CODECS_READING,
  CODECS_TITLE,
  codecsServers,
  goalTable,
  SCENARIO_TITLES,
  scenarioTable,
} from './tables.ts';
import { codecsLines } from './text.ts';

export function codecsSections({ codecs }: Result): Section[] {
  if (codecs === undefined) return [];
  const tables = SCENARIO_NAMES.flatMap((name) => {
    const table = scenarioTable(codecs, name);
    if (table === null) return [];
    return [
      html`<details class="wide"><summary>${SCENARIO_TITLES[name]}</summary>${tableMarkup(table)}</details>`,
    ];
  });
  const short = questionsOf(codecs, codecsServers(codecs)).map(
    ({ title, table }) => html`<h3>${title}</h3>${tableMarkup(table)}`,
  );
  const lines = codecsLines(codecs).map((line) => html`<p class="fine">${line}</p>`);
  const body = html`<p class="intro">${CODECS_READING}</p>${tableMarkup(goalTable(codecs))}${lines}${short}${tables}`;
  return [{ id: 'codecs', title: CODECS_TITLE, body }];
}
