/** Tables and text as Markdown. Text of a result never becomes markup. */
import type { Table } from './rows.ts';

/** The first column is text, the others are figures unless `left` says otherwise. */
export function markdownTable({ head, rows }: Table, left: readonly number[] = [0]): string {
  return [
    row(head),
    row(head.map((_, i) => (left.includes(i) ? '---' : '---:'))),
    ...rows.map((cells) => row(cells)),
  ].join('\n');
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

/** Intervals keep their brackets: no link follows them. */
function row(cells: readonly string[]): string {
  const shown = cells.map((cell) =>
    markdownText(cell)
      .replaceAll('|', '\\|')
      .replaceAll(/\\([[\]])/g, '$1'),
  );
  return `| ${shown.join(' | ')} |`;
}
