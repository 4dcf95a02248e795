/** The output of `pnpm bench:sync`: the goals and all warnings. */
import Table from 'cli-table3';
import type { SyncResult } from '../result.ts';
import { syncGoalTable } from './tables.ts';
import { skippedLines, syncConditions, syncWarnings } from './text.ts';

export function syncTerminal(sync: SyncResult): string {
  const { head, rows } = syncGoalTable(sync);
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, i) => (i === 0 || i % 3 === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((cells) => [...cells]));
  return `${[table.toString(), ...syncConditions(sync), ...skippedLines(sync), ...syncWarnings(sync)].join('\n')}\n`;
}
