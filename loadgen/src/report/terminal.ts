/**
 * The result on a terminal of 100 columns: a table for each measurement, the meaning of each figure, and all warnings.
 */
import CliTable from 'cli-table3';
import type { Measurement, Result } from '../result/result.ts';
import { READING, runConditions, thresholdLines, warningsOf, workloadLine } from './conditions.ts';
import {
  headlineRows,
  isCompared,
  type Row,
  rowSentence,
  rowsOf,
  sizeRows,
  type Table,
  tableOf,
} from './rows.ts';
import {
  askedOf,
  ceilingLines,
  dashboardLines,
  driftKeys,
  driftTable,
  generatorLine,
  OPEN_READING,
  openMeasurements,
  openTable,
} from './series.ts';
import { isDifference } from './verdict.ts';

const WIDTH = 100;
/** Verdicts break their words; the rest of the columns are as wide as they need. */
const DRIFT_WIDTHS = [18, 31, 31];
/** What an open loop finds out. */
const OPEN_KEYS: readonly string[] = ['latency_p99_ms', 'server_cpu_us_per_event'];

export function terminalReport(result: Result): string {
  const open = openMeasurements(result);
  const sections = result.measurements.flatMap((measurement) => {
    if (measurement === open[0]) return [openSection(result, open)];
    return open.includes(measurement) ? [] : [section(result, measurement)];
  });
  return `${[
    [...runConditions(result), READING].map((line) => wrap(line, '', '  ')).join('\n'),
    ...sections,
    ...listed('Conditions of the command line:', thresholdLines(result)),
    warningsSection(result),
  ].join('\n\n')}\n`;
}

/** The headline table alone, while a run goes on. */
export function headlineText(result: Result): string {
  return drawn(tableOf(result, headlineRows(result), ['ratio']));
}

function section(result: Result, measurement: Measurement): string {
  const startup = measurement.mode === 'startup';
  const rows = [...rowsOf(result, measurement), ...(startup ? sizeRows(result) : [])];
  const drift =
    driftKeys(measurement).length > 0 ? [drawn(driftTable(result, measurement), DRIFT_WIDTHS)] : [];
  const generator = generatorLine(measurement);
  return [
    heading(measurement.title),
    wrap(workloadLine(measurement), '', '  '),
    drawn(tableOf(result, rows, ['ratio'])),
    ...drift,
    ...(isCompared(result) ? sentences(rows) : []),
    ...[
      ...ceilingLines(result, measurement),
      ...dashboardLines(measurement),
      ...(generator === null ? [] : [generator]),
    ].map(item),
  ].join('\n');
}

function openSection(result: Result, open: readonly Measurement[]): string {
  return [
    heading('Open loop: latency from the moment a request was due'),
    wrap(workloadLine(open[0]!), 'First of them: ', '  '),
    drawn(openTable(result)),
    item(OPEN_READING),
    ...openSentences(result, open).map(item),
  ].join('\n');
}

/** What the rates that both were asked for say; at shares of their own they had other loads. */
function openSentences(result: Result, open: readonly Measurement[]): string[] {
  if (!isCompared(result)) return [];
  return open
    .filter(({ workload }) => workload?.rate?.kind === 'fixed')
    .flatMap((measurement) =>
      rowsOf(result, measurement)
        .filter(({ key }) => OPEN_KEYS.includes(key))
        .map((row) => `Asked ${askedOf(measurement)}: ${rowSentence(row)}`),
    );
}

/** Differences as sentences, and what differs by no more than noise in one line. */
function sentences(rows: readonly Row[]): string[] {
  const differing = rows.filter((row) => row.exact !== null || isDifference(row.comparison));
  const alike = rows.filter((row) => row.comparison?.verdict === 'no_difference');
  const open = rows.filter((row) => row.comparison?.verdict === 'too_few_rounds');
  return [
    ...differing.map(rowSentence),
    ...(alike.length === 1 ? alike.map(rowSentence) : []),
    ...(alike.length > 1 ? [`No difference beyond noise: ${alike.map((row) => row.label).join(', ')}.`] : []),
    ...(open.length > 0 ? [`Too few rounds to say: ${open.map((row) => row.label).join(', ')}.`] : []),
  ].map(item);
}

function warningsSection(result: Result): string {
  const warnings = warningsOf(result);
  if (warnings.length === 0) return 'This result has no warnings.';
  const lines = warnings.map(({ measurement, message, advice }) =>
    [
      wrap(`${measurement === null ? '' : `${measurement}: `}${message}`, '  ', '  '),
      wrap(advice, '    ', '    '),
    ].join('\n'),
  );
  return `Warnings about this result:\n${lines.join('\n')}`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map(item).join('\n')}`];
}

/** No line between the rows. "/s" is enough next to the label of a metric. */
function drawn({ head, rows }: Table, widths: readonly number[] = []): string {
  const table = new CliTable({
    head: [...head],
    style: { head: [], border: [], compact: true },
    wordWrap: true,
    colWidths: [...widths],
  });
  table.push(...rows.map((row) => row.map((cell) => cell.replace(' events/s', '/s'))));
  return table.toString();
}

function heading(title: string): string {
  return `${title}\n${'─'.repeat(Math.min(WIDTH, title.length))}`;
}

function item(text: string): string {
  return wrap(text, '- ', '  ');
}

function wrap(text: string, first: string, next: string): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = next;
      empty = true;
    }
    line = empty ? line + word : `${line} ${word}`;
    empty = false;
  }
  return [...lines, line].join('\n');
}
