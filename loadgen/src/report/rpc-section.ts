/** The section of typed calls: goals, short tables, every row; nothing where it was not measured. */

import { rpcTables } from '../export/rpc-questions.ts';
import { rpcRows } from '../export/rpc-rows.ts';
import { RPC_READING, RPC_TITLE, rpcGoalTable } from '../export/rpc-tables.ts';
import { rpcLines } from '../export/rpc-text.ts';
import type { Result } from '../result.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../rpc/rpc-result.ts';
import { tableMarkup } from './figure.ts';
import { html } from './markup.ts';
import type { Section } from './sections.ts';

const TITLES: Readonly<Record<ScenarioName, string>> = {
  scalars: 'One value, every row',
  sequences: 'Sequences, every row',
  reference: 'Reference, every row',
  large: '100,000 nested dicts, every row',
};

export function rpcSections({ rpc }: Result): Section[] {
  if (rpc === undefined) return [];
  const tables = rpcTables(rpc).map(({ title, table }) => html`<h3>${title}</h3>${tableMarkup(table)}`);
  const whole = SCENARIO_NAMES.flatMap((name) => {
    const table = rpcRows(rpc, name);
    if (table === null) return [];
    return [html`<details class="wide"><summary>${TITLES[name]}</summary>${tableMarkup(table)}</details>`];
  });
  const lines = rpcLines(rpc).map((line) => html`<p class="fine">${line}</p>`);
  const body = html`<p class="intro">${RPC_READING}</p>${tableMarkup(rpcGoalTable(rpc))}${lines}${tables}${whole}`;
  return [{ id: 'rpc', title: RPC_TITLE, body }];
}
