/**
 * The comparison as Markdown: the table of the README, generated, so that no figure there is typed by hand.
 */
import type { Result } from '../result.ts';
import { comparisonTable, conditions } from './rows.ts';

/** A table, and below it what it was measured under and how many reasons there are to distrust it. */
export function readmeTable(result: Result): string {
  const { head, rows } = comparisonTable(result);
  const lines = [
    row(head),
    row(head.map((_, i) => (i === 0 ? '---' : '---:'))),
    ...rows.map(row),
    '',
    ...conditions(result).map((condition) => `- ${condition}.`),
    ...result.warnings.map((warning) => `- Reason to distrust: ${warning.message}`),
  ];
  return `${lines.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
