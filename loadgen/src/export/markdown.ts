/**
 * The comparison as Markdown, for documents and for a pull request, so that no figure there is typed by hand.
 */
import type { Measurement, Result } from '../result.ts';
import { doubtsOf, READING, runConditions, thresholdLines, workloadLine } from './conditions.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { type Column, headlineRows, isCompared, type Row, rowSentence, rowsOf, tableOf } from './rows.ts';
import {
  dashboardLines,
  driftKeys,
  driftTable,
  limitLines,
  OPEN_READING,
  openMeasurements,
  openTable,
} from './series.ts';
import { isDifference } from './verdict.ts';

/** Short, with everything else folded away. */
export function pullRequestMarkdown(result: Result): string {
  const rows = headlineRows(result);
  const open = openMeasurements(result);
  const others = result.measurements.filter((measurement) => !open.includes(measurement));
  const differing = rows.filter((row) => isDifference(row.comparison));
  const doubts = doubtLines(result);
  return `${[
    '## Benchmark',
    differing.length > 0
      ? bullets(differing.map((row) => markdownText(rowSentence(row))))
      : isCompared(result)
        ? 'No difference beyond noise.'
        : metricTable(result, rows, []),
    ...(result.thresholds.length > 0 ? [bullets(thresholdLines(result).map(markdownText))] : []),
    folded('All figures', metricTable(result, rows, ['delta', 'ratio', 'meaning'])),
    ...others
      .filter((measurement) => measurement.mode !== 'startup')
      .map((measurement) => folded(measurement.title, measurementMarkdown(result, measurement))),
    ...(open.length > 0 ? [folded('Open loop', openMarkdown(result))] : []),
    folded('Conditions', bullets([...runConditions(result), READING].map(markdownText))),
    doubts.length === 0
      ? 'No reason to distrust this result was found.'
      : folded(`Reasons to distrust (${doubts.length})`, bullets(doubts)),
  ].join('\n\n')}\n`;
}

/** Table, drift, limit and conditions of one measurement. */
export function measurementMarkdown(result: Result, measurement: Measurement): string {
  const lines = [...limitLines(result, measurement), ...dashboardLines(measurement)];
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

/** Of the run and of each measurement. */
function doubtLines(result: Result): string[] {
  return doubtsOf(result).map(({ measurement, message, advice }) =>
    markdownText(
      `Reason to distrust${measurement === null ? '' : ` ${measurement}`}: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
    ),
  );
}

function folded(title: string, content: string): string {
  return `<details><summary>${markdownText(title)}</summary>\n\n${content}\n\n</details>`;
}
