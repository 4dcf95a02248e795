/**
 * The comparison as Markdown, for documents.
 */
import type { Measurement, Result } from '../result/result.ts';
import { workloadLine } from './conditions.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { type Column, isCompared, type Row, rowsOf, tableOf } from './rows.ts';
import { ceilingLines, dashboardLines, driftKeys, driftTable, OPEN_READING, openTable } from './series.ts';

/** Table, drift, ceiling and conditions of one measurement. */
export function measurementMarkdown(result: Result, measurement: Measurement): string {
  const lines = [...ceilingLines(result, measurement), ...dashboardLines(measurement)];
  return [
    markdownText(`${workloadLine(measurement)}.`),
    metricTable(result, rowsOf(result, measurement), ['delta', 'ratio', 'meaning']),
    ...(driftKeys(measurement).length > 0 ? [markdownTable(driftTable(result, measurement))] : []),
    ...(lines.length > 0 ? [bullets(lines.map(markdownText))] : []),
  ].join('\n\n');
}

export function openMarkdown(result: Result): string {
  return `${markdownTable(openTable(result), [0, 1])}\n\n${OPEN_READING}`;
}

export function metricTable(result: Result, rows: readonly Row[], columns: readonly Column[]): string {
  const table = tableOf(result, rows, columns);
  const meaning = columns.includes('meaning') ? [table.head.length - 1] : [];
  return markdownTable(table, [0, ...(isCompared(result) ? meaning : [])]);
}
