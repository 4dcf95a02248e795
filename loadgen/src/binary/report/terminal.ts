/** The output of `pnpm bench:binary`: a table for each size and server, `/livez`, the goals, and all warnings. */

import { tableText } from '../../codecs/report/terminal.ts';
import type { BinaryResult } from '../result.ts';
import { binaryGoalTable, binaryTables } from './tables.ts';
import { binaryLines } from './text.ts';

/** `columns`: characters of a line. */
export function binaryTerminal(binary: BinaryResult, columns: number): string {
  const tables = binaryTables(binary).flatMap(({ title, table }) => [title, tableText(table, columns)]);
  const goals = tableText(binaryGoalTable(binary), columns);
  return `${[...tables, goals, ...binaryLines(binary)].join('\n')}\n`;
}
