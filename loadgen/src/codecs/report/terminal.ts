/**
 * What `pnpm bench:codecs` prints: a short table for each question, the goals, and every warning.
 *
 * Invariant: a short table is no wider than the terminal; the tables of every row are as wide as they are.
 */
import CliTable from 'cli-table3';
import type { Table } from '../../report/rows.ts';
import { type CodecsResult, SCENARIO_NAMES } from '../result.ts';
import { questionsOf } from './questions.ts';
import { codecsServers, goalTable, SCENARIO_TITLES, scenarioTable } from './tables.ts';
import { codecsLines } from './text.ts';

export interface Shown {
  /** Characters of a line. */
  readonly columns: number;
  /** Every row of every scenario as well. */
  readonly tables: boolean;
}

/** Two spaces of a cell. */
const PADDING = 2;
const NARROWEST = 8;
/** Names of cases break into lines well, down to this. */
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

/** With boxes, no wider than `columns`. */
export function tableText({ head, rows }: Table, columns = Number.POSITIVE_INFINITY): string {
  const colWidths = fittedWidths([head, ...rows], columns);
  const style = { head: [], border: [], compact: true };
  const table = new CliTable({ head: [...head], style, colWidths, wordWrap: true });
  table.push(...rows.map((cells) => [...cells]));
  return table.toString();
}

/** Takes from the first column, then from the widest, as long as the lines are too long. */
function fittedWidths(rows: readonly (readonly string[])[], columns: number): number[] {
  const widths = rows[0]!.map((_, i) => PADDING + Math.max(...rows.map((cells) => cells[i]!.length)));
  const isTooWide = () => widths.reduce((sum, width) => sum + width + 1, 1) > columns;
  while (isTooWide() && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widths[0]! > FIRST ? 0 : widest]!--;
  }
  return widths;
}
