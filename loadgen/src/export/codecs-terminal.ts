/** What `pnpm bench:codecs` prints: the goals, the scenarios, and every warning. */
import Table from 'cli-table3';
import { type CodecsResult, SCENARIO_NAMES } from '../codecs/codecs-result.ts';
import { goalTable, SCENARIO_TITLES, scenarioTable } from './codecs-tables.ts';
import { codecsLines } from './codecs-text.ts';
import type { Table as Cells } from './rows.ts';

export function codecsTerminal(codecs: CodecsResult): string {
  const scenarios = SCENARIO_NAMES.flatMap((name) => {
    const table = scenarioTable(codecs, name);
    return table === null ? [] : [SCENARIO_TITLES[name], tableText(table)];
  });
  return `${[...scenarios, tableText(goalTable(codecs)), ...codecsLines(codecs)].join('\n')}\n`;
}

function tableText({ head, rows }: Cells): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((cells) => [...cells]));
  return table.toString();
}
