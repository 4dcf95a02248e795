/** Formats the report for a terminal of 100 columns: the headline first, the answers at the end. */
import { tableText } from '../codecs/report/terminal.ts';
import type { Result } from '../result/result.ts';
import { reportOf } from './model.ts';
import { headlineRows, type Section, type Table, tableOf } from './rows.ts';

const WIDTH = 100;

export function terminalReport(result: Result): string {
  const { environment, results, parts, analysis, warnings, answers } = reportOf(result);
  const headline = { ...results, table: tableOf(result, headlineRows(result), 'ratio') };
  const sections = [headline, ...parts, analysis, warnings, environment, answers].map(sectionText);
  return sections.filter((text) => text !== '').join('\n');
}

/** Returns the headline table alone, which is printed during a run. */
export function headlineText(result: Result): string {
  return drawn(tableOf(result, headlineRows(result), 'ratio'));
}

/** Returns the lines of a section; an empty text without rows and lines. */
function sectionText({ title, table, lines }: Section): string {
  const contents = [...(table?.rows.length ? [drawn(table)] : []), ...lines.map(wrapped)];
  return contents.length === 0 ? '' : `${[title, '─'.repeat(title.length), ...contents].join('\n')}\n`;
}

/** Draws a table in which "events/s" becomes "/s", since the label names the metric. */
function drawn({ head, rows }: Table): string {
  const short = rows.map((row) => row.map((cell) => cell.replace(' events/s', '/s')));
  return tableText({ head, rows: short }, WIDTH);
}

/** Returns an item of a list, with line breaks between words. */
function wrapped(text: string): string {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - 3}}(?= |$)|\\S+`, 'g')) ?? [];
  return `- ${lines.join('\n  ')}`;
}
