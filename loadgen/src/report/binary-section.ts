/** The section of binary transfer: goals and every table; nothing where it was not measured. */
import { BINARY_READING, BINARY_TITLE, binaryGoalTable, binaryTables } from '../export/binary-tables.ts';
import { binaryLines } from '../export/binary-text.ts';
import type { Result } from '../result.ts';
import { tableMarkup } from './figure.ts';
import { html } from './markup.ts';
import type { Section } from './sections.ts';

export function binarySections({ binary }: Result): Section[] {
  if (binary === undefined) return [];
  const tables = binaryTables(binary).map(({ title, table }) => html`<h3>${title}</h3>${tableMarkup(table)}`);
  const lines = binaryLines(binary).map((line) => html`<p class="fine">${line}</p>`);
  const body = html`<p class="intro">${BINARY_READING}</p>${tableMarkup(binaryGoalTable(binary))}${lines}${tables}`;
  return [{ id: 'binary', title: BINARY_TITLE, body }];
}
