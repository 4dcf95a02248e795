/**
 * Cells of the tables of the codecs suite: medians, ratios and shares of one result.
 *
 * Invariants: a value that was not measured is a dash. A line without any value is left out.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { compareRounds, median } from '../../analyse/statistics.ts';
import { formatRatio, formatValue, group, ratioDigits } from '../../report/format.ts';
import type { Table } from '../../report/rows.ts';
import type { FigureKey } from '../figure.ts';
import { ratio, value } from '../goal.ts';
import { type CodecsResult, type Parameters, rowsWhere, type ScenarioName } from '../result.ts';

/** Returns the text of a cell, given the parameters of its line; `—` if it was not measured. */
export type Cell = (at: Parameters) => string;

export interface Column {
  readonly head: string;
  readonly cell: Cell;
}

export interface Line {
  readonly label: string;
  readonly at: Parameters;
}

const NONE = '—';

/** Returns functions that make cells of one result. */
export function cellsOf(result: CodecsResult) {
  const figure =
    (scenario: ScenarioName, server: TargetName, key: FigureKey, more: Parameters = {}): Cell =>
    (at) =>
      text(value(scenario, key, { ...at, ...more })(result, server), key);
  /** Compares a figure with the same figure of the row with other parameters, slice by slice. */
  const versus =
    (
      scenario: ScenarioName,
      server: TargetName,
      key: FigureKey,
      other: Parameters,
      more: Parameters = {},
    ): Cell =>
    (at) => {
      const rows = [
        { ...at, ...more },
        { ...at, ...more, ...other },
      ].map((parameters) => rowsWhere(result, scenario, server, parameters)[0]);
      const [own, base] = rows.map((row) => row?.figures[key]);
      return own === undefined || base === undefined || rows[0] === rows[1]
        ? NONE
        : formatRatio(compareRounds(own, base));
    };
  const share =
    (server: TargetName, more: Parameters): Cell =>
    (at) => {
      const [row] = rowsWhere(result, 'bytes', server, { ...at, ...more });
      const found = ratio(median(row?.figures.bytes ?? []), median(row?.figures.json_bytes ?? []));
      return found === null ? NONE : ratioDigits(found);
    };
  return { figure, versus, share };
}

/** The head of a column names the unit of a rate, so its cells leave it out. */
function text(found: number | null, key: FigureKey): string {
  if (found === null) return NONE;
  if (key === 'mb_per_s' || key === 'events_per_s') return group(Math.round(found));
  return formatValue(found, key.endsWith('_ms') ? 'ms' : 'us');
}

/** Returns a table of the lines that have at least one value. */
export function tableOfLines(first: string, lines: readonly Line[], columns: readonly Column[]): Table {
  const rows = lines.map(({ label, at }) => [label, ...columns.map(({ cell }) => cell(at))]);
  return {
    head: [first, ...columns.map(({ head }) => head)],
    rows: rows.filter(([, ...cells]) => cells.some((cell) => cell !== NONE)),
  };
}
