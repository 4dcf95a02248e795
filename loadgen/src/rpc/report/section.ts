/** The section of typed calls: goals, short tables, every row; nothing where it was not measured. */

import { tableMarkup } from '../../report/html/figure.ts';
import { html } from '../../report/html/markup.ts';
import type { Section } from '../../report/html/sections.ts';
import type { Result } from '../../result/result.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../result.ts';
import { rpcTables } from './questions.ts';
import { rpcRows } from './rows.ts';
import { RPC_READING, RPC_TITLE, rpcGoalTable } from './tables.ts';
import { rpcLines } from './text.ts';

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
