/** The section of binary transfer: goals and every table; nothing where it was not measured. */

import { tableMarkup } from '../../report/html/figure.ts';
import { html } from '../../report/html/markup.ts';
import type { Section } from '../../report/html/sections.ts';
import type { Result } from '../../result/result.ts';
import { BINARY_READING, BINARY_TITLE, binaryGoalTable, binaryTables } from './tables.ts';
import { binaryLines } from './text.ts';

export function binarySections({ binary }: Result): Section[] {
  if (binary === undefined) return [];
  const tables = binaryTables(binary).map(({ title, table }) => html`<h3>${title}</h3>${tableMarkup(table)}`);
  const lines = binaryLines(binary).map((line) => html`<p class="fine">${line}</p>`);
  const body = html`<p class="intro">${BINARY_READING}</p>${tableMarkup(binaryGoalTable(binary))}${lines}${tables}`;
  return [{ id: 'binary', title: BINARY_TITLE, body }];
}
