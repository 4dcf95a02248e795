/** Formats tables and text as Markdown. Text of a result never becomes markup. */
import { labelled, type Section, type Table } from './rows.ts';

/** Returns a table as Markdown. Columns in `left` contain text and are left-aligned; the others contain figures. */
export function markdownTable(table: Table, left: readonly number[] = table.left ?? [0]): string {
  const { head, rows } = table;
  const rule = head.map((_, i) => (left.includes(i) ? '---' : '---:'));
  return [head, rule, ...rows].map(row).join('\n');
}

export function markdownText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*[\]]/g, '\\$&')
    .replaceAll(/\s+/g, ' ');
}

/** Returns a section with its heading; an empty text without rows and lines. */
export function markdownSection({ title, table, lines }: Section, heading = '##'): string {
  const contents = [
    ...(table?.rows.length ? [markdownTable(table)] : []),
    ...(lines.length > 0 ? [markdownLines(lines)] : []),
  ];
  return contents.length === 0 ? '' : [`${heading} ${title}`, ...contents].join('\n\n');
}

/** Returns a list in which the label of each line is bold. */
export function markdownLines(lines: readonly string[]): string {
  return bullets(
    lines.map(labelled).map(([label, text]) => {
      return `${label && `**${markdownText(label)}**`}${markdownText(text)}`;
    }),
  );
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
