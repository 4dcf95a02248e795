/**
 * The output of `pnpm bench:codecs`: a short table for each question, the goals, and all warnings.
 *
 * Invariant: a short table is at most as wide as the terminal. The tables of all rows have their natural width.
 */
import CliTable from 'cli-table3';
import type { Table } from '../../report/rows.ts';
import { type CodecsResult, SCENARIO_NAMES } from '../result.ts';
import { questionsOf } from './questions.ts';
import { codecsServers, goalTable, SCENARIO_TITLES, scenarioTable } from './tables.ts';
import { codecsLines } from './text.ts';

export interface Shown {
  /** Characters of a line of the terminal. */
  readonly columns: number;
  /** Whether to print every row of every scenario as well. */
  readonly tables: boolean;
}

/** One space on each side of a cell. */
const PADDING = 2;
const NARROWEST = 8;
/** Smallest width of the first column. Names of cases wrap well. */
const FIRST = 30;

export function codecsTerminal(codecs: CodecsResult, { columns, tables }: Shown): string {
  const whole = SCENARIO_NAMES.flatMap((name) => {
    const table = tables ? scenarioTable(codecs, name) : null;
    return table === null ? [] : [SCENARIO_TITLES[name], tableText(table)];
  });
  const short = questionsOf(codecs, codecsServers(codecs)).flatMap(({ title, table }) => [
    title,
    tableText(table, columns),
  ]);
  const goals = tableText(goalTable(codecs), columns);
  return `${[...whole, ...short, goals, ...codecsLines(codecs)].join('\n')}\n`;
}

/** Returns the table with borders, at most `columns` wide. */
export function tableText({ head, rows }: Table, columns = Number.POSITIVE_INFINITY): string {
  const colWidths = fittedWidths([head, ...rows], columns);
  const style = { head: [], border: [], compact: true };
  const table = new CliTable({ head: [...head], style, colWidths, wordWrap: true });
  table.push(...rows.map((cells) => [...cells]));
  return table.toString();
}

/** Returns the column widths. Shrinks the first column, then always the widest, until the table fits. */
function fittedWidths(rows: readonly (readonly string[])[], columns: number): number[] {
  const widths = rows[0]!.map((_, i) => PADDING + Math.max(...rows.map((cells) => cells[i]!.length)));
  const isTooWide = () => widths.reduce((sum, width) => sum + width + 1, 1) > columns;
  while (isTooWide() && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widths[0]! > FIRST ? 0 : widest]!--;
  }
  return widths;
}
