/** Formats rows of metrics as Markdown, for documents. */
import type { Result } from '../result/result.ts';
import { markdownTable } from './markdown-table.ts';
import { type Column, isCompared, type Row, tableOf } from './rows.ts';

export function metricTable(result: Result, rows: readonly Row[], columns: readonly Column[]): string {
  const table = tableOf(result, rows, columns);
  const meaning = columns.includes('meaning') ? [table.head.length - 1] : [];
  return markdownTable(table, [0, ...(isCompared(result) ? meaning : [])]);
}
