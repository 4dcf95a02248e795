/** Formats the report for a terminal of 100 columns: the headline first, then its details. */
import CliTable from 'cli-table3';
import type { Result } from '../result/result.ts';
import { answers } from './choice.ts';
import { READING, runConditions } from './conditions.ts';
import { reportOf } from './model.ts';
import { headlineRows, isCompared, type Row, type Table, tableOf } from './rows.ts';
import { isDifference, rowSentence } from './verdict.ts';

const WIDTH = 100;

export function terminalReport(result: Result): string {
  const { headline, parts, trust, warnings } = reportOf(result);
  return joined([
    ...opening(result, headline),
    ...parts.map(({ title, table, lines }) => part(title, drawn(table), lines)),
    ...listed('How far this can be trusted:', trust),
    ...(warnings.length === 0 ? ['This result has no warnings.'] : []),
    ...listed(
      'Warnings about this result:',
      warnings.map(({ seen, limit, advice }) => `${seen}. It ${limit}. ${advice}`),
    ),
    ...answerLines(result),
  ]);
}

/** Returns the report of `twin-ingest bench`: the headline, what limits it, and the answers at the end. */
export function quickReport(result: Result): string {
  const { headline, warnings } = reportOf(result);
  // Advice that names a flag is about `bench:compare`.
  const limits = warnings.map(({ seen, advice }) => (advice.includes('--') ? seen : `${seen}. ${advice}`));
  return joined([
    ...opening(result, headline),
    ...listed('What limits these figures:', limits),
    ...answerLines(result),
  ]);
}

function joined(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function opening(result: Result, headline: readonly Row[]): string[] {
  const conditions = [...runConditions(result), READING].map((line) => wrap(line, '', '  '));
  const lines = isCompared(result) ? sentences(headline) : [];
  return [conditions.join('\n'), part('The comparison', headlineText(result), lines)];
}

function answerLines(result: Result): string[] {
  const lines = answers(result).map(({ reader, text }) => `${reader}: ${text}`);
  return listed('Which server:', lines);
}

/** Returns the headline table alone, which is printed during a run. */
export function headlineText(result: Result): string {
  return drawn(tableOf(result, headlineRows(result), ['ratio']));
}

/** Returns one sentence per difference, and one line that lists all other rows. */
function sentences(rows: readonly Row[]): string[] {
  const others = rows.filter((row) => !isDifference(row)).map(({ label }) => label);
  return [
    ...rows.filter(isDifference).map(rowSentence),
    ...(others.length === 0 ? [] : [`No difference shown: ${others.join('; ')}.`]),
  ];
}

function part(title: string, table: string, lines: readonly string[]): string {
  return [title, '─'.repeat(title.length), table, ...lines.map(item)].join('\n');
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map(item).join('\n')}`];
}

/** Draws a table without lines between the rows. "events/s" becomes "/s", since the label names the metric. */
function drawn({ head, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(' events/s', '/s')));
  const table = new CliTable({
    head: [...head],
    style: { head: [], border: [], compact: true },
    wordWrap: true,
    colWidths: widthsOf(head, cells),
  });
  table.push(...cells);
  return table.toString();
}

/** Returns widths for whole cells and wrapped heads. The widest columns become narrower until the table fits. */
function widthsOf(head: readonly string[], rows: readonly (readonly string[])[]): number[] {
  const widths = head.map((text, i) => {
    const texts = [...text.split(' '), ...rows.map((row) => row[i]!)];
    return Math.max(...texts.map(({ length }) => length)) + 2;
  });
  const lines = widths.length + 1;
  while (widths.reduce((sum, width) => sum + width, lines) > WIDTH)
    widths[widths.indexOf(Math.max(...widths))]!--;
  return widths;
}

function item(text: string): string {
  return wrap(text, '- ', '  ');
}

/** Breaks a text between words. `next` is at least as long as `first`. */
function wrap(text: string, first: string, next: string): string {
  const most = WIDTH - next.length;
  const lines = text.match(new RegExp(`\\S.{0,${most - 1}}(?= |$)|\\S+`, 'g')) ?? [];
  return `${first}${lines.join(`\n${next}`)}`;
}
