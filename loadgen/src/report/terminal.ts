/** Formats the report for a terminal of 100 columns: the headline first, then its details. */
import CliTable from 'cli-table3';
import type { Result } from '../result/result.ts';
import { answers } from './choice.ts';
import { kindsOf, type NamedWarning, READING, runConditions, seenText } from './conditions.ts';
import { limitOf } from './document.ts';
import { type Report, reportOf } from './model.ts';
import { headlineRows, isCompared, type Row, rowSentence, type Table, tableOf } from './rows.ts';
import { OPEN_READING } from './series.ts';
import { isDifference } from './verdict.ts';

const WIDTH = 100;
/** Column widths of the drift table. Long verdicts are wrapped; further columns are as wide as their contents. */
const DRIFT_WIDTHS = [18, 31, 31];
const HEADLINE_WIDTHS = [25];
const DESIGN_WIDTHS = [20, 18, 18, 18, 18];
const LOADS_WIDTHS = [22, 12, 11, 12, 12, 11, 12];
const OPEN_WIDTHS = [13, 12, 11, 9, 9, 9, 27];

export function terminalReport(result: Result): string {
  const report = reportOf(result);
  const { design, loads, open, drift, trust, warnings } = report;
  const parts = [
    ...opening(result, report),
    ...(design === null
      ? []
      : [part('Design and language', drawn(design.table, DESIGN_WIDTHS), design.sentences)]),
    ...(loads === null ? [] : [part('Every closed loop', drawn(withoutIntervals(loads), LOADS_WIDTHS), [])]),
    ...(open === null
      ? []
      : [part('Open loop: latency from when a request was due', drawn(open, OPEN_WIDTHS), [OPEN_READING])]),
    ...(drift === null ? [] : [part('Drift over the soak', drawn(drift, DRIFT_WIDTHS), [])]),
    ...listed('How far this can be trusted:', trust),
    warningsSection(warnings),
    ...listed('Which server:', answerLines(result)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the report of `twin-ingest bench`: the headline, what limits it, and the answers at the end. */
export function quickReport(result: Result): string {
  const report = reportOf(result);
  const parts = [
    ...opening(result, report),
    ...listed('What limits these figures:', kindsOf(report.warnings).map(limitText)),
    ...listed('Which server:', answerLines(result)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function opening(result: Result, { headline }: Report): string[] {
  const conditions = [...runConditions(result), READING].map((line) => wrap(line, '', '  '));
  const lines = isCompared(result) ? sentences(headline) : [];
  return [conditions.join('\n'), part('The comparison', headlineText(result), lines)];
}

/** Returns a kind of warning with its advice, unless that names a flag of `bench:compare`. */
function limitText(found: readonly NamedWarning[]): string {
  const { advice } = found[0]!;
  return advice.includes('--') ? seenText(found) : `${seenText(found)}. ${advice}`;
}

function answerLines(result: Result): string[] {
  return answers(result).map(({ reader, text }) => `${reader}: ${text}`);
}

/** Returns the headline table alone, which is printed during a run. */
export function headlineText(result: Result): string {
  return drawn(tableOf(result, headlineRows(result), ['ratio']), HEADLINE_WIDTHS);
}

/** Removes intervals, for which a terminal has no room. The document shows them. */
function withoutIntervals({ head, rows }: Table): Table {
  return { head, rows: rows.map((row) => row.map((cell) => cell.replace(/ \[[^\]]*\]$/, ''))) };
}

function part(title: string, table: string, lines: readonly string[]): string {
  return [heading(title), table, ...lines.map(item)].join('\n');
}

/** Returns one sentence per difference, and one line that lists all rows without a difference. */
function sentences(rows: readonly Row[]): string[] {
  const differing = rows.filter((row) => row.exact !== null || isDifference(row.comparison));
  const alike = rows.filter((row) => row.comparison?.verdict === 'no_difference');
  const open = rows.filter((row) => row.comparison?.verdict === 'too_few_rounds');
  return [
    ...differing.map(rowSentence),
    ...(alike.length === 1 ? alike.map(rowSentence) : []),
    ...(alike.length > 1 ? [`No difference shown: ${alike.map((row) => row.label).join(', ')}.`] : []),
    ...(open.length > 0 ? [`Too few rounds to say: ${open.map((row) => row.label).join(', ')}.`] : []),
  ];
}

/** Returns one entry for each kind of warning, with what it limits. */
function warningsSection(warnings: readonly NamedWarning[]): string {
  if (warnings.length === 0) return 'This result has no warnings.';
  const lines = kindsOf(warnings).map((found) =>
    [
      wrap(seenText(found), '  ', '    '),
      wrap(`It ${limitOf(found[0]!)}. ${found[0]!.advice}`, '    ', '    '),
    ].join('\n'),
  );
  return `Warnings about this result:\n${lines.join('\n')}`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map(item).join('\n')}`];
}

/** Draws a table without lines between the rows. "events/s" becomes "/s", since the label names the metric. */
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
