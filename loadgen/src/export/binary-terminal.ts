/** What `pnpm bench:binary` prints: a table for each size and server, `/livez`, the goals, and every warning. */
import type { BinaryResult } from '../binary/binary-result.ts';
import { binaryGoalTable, binaryTables } from './binary-tables.ts';
import { binaryLines } from './binary-text.ts';
import { tableText } from './codecs-terminal.ts';

/** `columns`: characters of a line. */
export function binaryTerminal(binary: BinaryResult, columns: number): string {
  const tables = binaryTables(binary).flatMap(({ title, table }) => [title, tableText(table, columns)]);
  const goals = tableText(binaryGoalTable(binary), columns);
  return `${[...tables, goals, ...binaryLines(binary)].join('\n')}\n`;
}
