/**
 * The codecs suite's result as tables: the goals, then the rows of each scenario.
 *
 * Invariants: every verdict is computed from the result. A value that was not measured is shown as not measured.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { compareRounds, median } from '../../analyse/statistics.ts';
import { formatRatio, formatValue, group, NOT_MEASURED, percent, ratioDigits } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import { FIGURES, type FigureKey } from '../figure.ts';
import { type Goal, type GoalUnit, outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import { type CodecRow, type CodecsResult, rowsWhere, type ScenarioName } from '../result.ts';

const COLUMNS: readonly TargetName[] = ['rs', 'ts'];

export const CODECS_TITLE = 'Formats and transports';

export const CODECS_READING =
  'Medians of slices; "vs JSON" and "vs true raw" are ratios of neighbouring slices, with an interval of 95 %. ' +
  'True raw is the same bytes to /bench/sink, which reads and discards them; for answers, to /bench/echo and back. ' +
  'Before anything was measured, the same events gave the same rows in every format and over every transport.';

export const SCENARIO_TITLES: Readonly<Record<ScenarioName, string>> = {
  codec: 'Codecs alone',
  arrow: 'Arrow alone',
  bytes: 'Bytes',
  ingest: 'Ingest over HTTP',
  read: 'Reading over HTTP',
  raw: 'True raw',
  transport: 'Transports and formats',
  messages: 'Small messages',
  pipe: 'One pipe',
};

export function codecsServers({ servers }: CodecsResult): readonly TargetName[] {
  return COLUMNS.filter((name) => servers[name] !== undefined);
}

export function goalTable(result: CodecsResult): Table {
  const servers = codecsServers(result);
  return {
    head: ['Goal', 'procwire', 'asked', ...servers.map((name) => SHORT_NAMES[name])],
    rows: GOALS.map((goal) => [
      goal.title,
      goal.prior?.figure ?? '—',
      askedText(goal, servers),
      ...servers.map((name) => {
        const { found, share, isMet } = outcomeOf(goal, result, name);
        if (found === null) return NOT_MEASURED;
        const verdict = share === null || isMet === null ? 'stated' : verdictText(share, isMet);
        return `${goalText(found, goal.unit)}, ${verdict}`;
      }),
    ]),
  };
}

/** Returns the goals of all servers, or one goal if all have the same. */
function askedText({ better, goal, unit }: Goal, servers: readonly TargetName[]): string {
  const sign = better === 'higher' ? '≥' : '≤';
  const asked = servers.map((name) => (goal[name] === null ? '—' : `${sign} ${goalText(goal[name], unit)}`));
  return [...new Set(asked)].join('; ');
}

function verdictText(share: number, isMet: boolean): string {
  return isMet ? 'met' : `missed by ${percent(Math.abs(1 - share))}`;
}

export function goalText(value: number, unit: GoalUnit): string {
  if (unit === 'of JSON') return ratioDigits(value);
  return unit === 'times' ? `${ratioDigits(value)} times` : `${group(Math.round(value))} ${unit}`;
}

/**
 * Returns the table of one scenario, with a column for each figure that any of its rows has. `null` if there are no
 * rows.
 */
export function scenarioTable(result: CodecsResult, scenario: ScenarioName): Table | null {
  const rows = COLUMNS.flatMap((name) => rowsWhere(result, scenario, name));
  if (rows.length === 0) return null;
  const keys = (Object.keys(FIGURES) as FigureKey[]).filter((key) =>
    rows.some(({ figures }) => figures[key]),
  );
  const isCompared = COMPARED[scenario] !== undefined;
  return {
    head: [
      'Case',
      ...keys.map((key) => FIGURES[key].label),
      ...(isCompared ? ['vs JSON', 'vs true raw'] : []),
    ],
    rows: rows.map((row) => [
      caseText(row),
      ...keys.map((key) => valueText(row, key)),
      ...(isCompared
        ? [versus(result, row, { format: 'json' }), versus(result, row, UNREAD[scenario] ?? {})]
        : []),
    ]),
  };
}

/** The figure that is compared with JSON, and with the same bytes on a route that does not read them. */
const COMPARED: Readonly<Partial<Record<ScenarioName, FigureKey>>> = {
  ingest: 'server_cpu_us_per_event',
  read: 'server_cpu_us_per_event',
  transport: 'server_cpu_us_per_event',
};

/** The parameters of the case in which the server does not read the bytes. */
const UNREAD: Readonly<Partial<Record<ScenarioName, CodecRow['parameters']>>> = {
  ingest: { path: 'sink' },
  read: { path: 'echo' },
  transport: { format: 'none' },
};

/** Compares the figure of a row with that of the row with other parameters, slice by slice. */
function versus(result: CodecsResult, row: CodecRow, other: CodecRow['parameters']): string {
  const isMeant = Object.keys(other).every((name) => name in row.parameters);
  const key = COMPARED[row.scenario];
  if (key === undefined || !isMeant) return '—';
  const [base] = rowsWhere(result, row.scenario, row.server, { ...row.parameters, ...other });
  const [own, others] = [row.figures[key], base?.figures[key]];
  if (base === row || own === undefined || others === undefined) return '—';
  return formatRatio(compareRounds(own, others));
}

function valueText({ figures }: CodecRow, key: FigureKey): string {
  const value = median(figures[key] ?? []);
  if (value === null) return '—';
  const { unit } = FIGURES[key];
  return unit === 'mb_per_s' ? `${group(Math.round(value))} MB/s` : formatValue(value, unit);
}

/** Returns the server and the parameters of a row as text. */
export function caseText({ server, parameters }: CodecRow): string {
  const asked = Object.entries(parameters).map(([name, value]) =>
    typeof value === 'number' ? `${name.replaceAll('_', ' ')} ${group(value)}` : value,
  );
  return [SHORT_NAMES[server], ...asked].join(', ');
}
