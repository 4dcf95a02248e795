/** Formats tables and text as Markdown. Text of a result never becomes markup. */
import type { Result } from '../result/result.ts';
import { type Column, isCompared, type Row, type Table, tableOf } from './rows.ts';

/** Returns a table as Markdown. Columns in `left` contain text and are left-aligned; the others contain figures. */
export function markdownTable({ head, rows }: Table, left: readonly number[] = [0]): string {
  return [
    row(head),
    row(head.map((_, i) => (left.includes(i) ? '---' : '---:'))),
    ...rows.map((cells) => row(cells)),
  ].join('\n');
}

export function metricTable(result: Result, rows: readonly Row[], columns: readonly Column[]): string {
  const table = tableOf(result, rows, columns);
  const hasWords = isCompared(result) && columns.includes('meaning');
  return markdownTable(table, hasWords ? [0, table.head.length - 1] : [0]);
}

export function markdownText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*[\]]/g, '\\$&')
    .replaceAll(/\s+/g, ' ');
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** Brackets of intervals are not escaped: without a link target after them they are plain text. */
function row(cells: readonly string[]): string {
  const shown = cells.map((cell) =>
    markdownText(cell)
      .replaceAll('|', '\\|')
      .replaceAll(/\\([[\]])/g, '$1'),
  );
  return `| ${shown.join(' | ')} |`;
}
