/**
 * The sync suite's result as tables: the goals, then the rows of each scenario.
 *
 * Invariants: every verdict is computed from the result. A value that was not measured is shown as not measured.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { formatSummary, formatValue, group, NOT_MEASURED, percent } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import { FIGURES, type Figure, type FigureKey } from '../figure.ts';
import { type GoalUnit, outcomeOf, SYNC_GOALS, type SyncGoal } from '../goals.ts';
import type { ScenarioName, SyncResult, SyncRow } from '../result.ts';

const COLUMNS: readonly TargetName[] = ['rs', 'ts'];

/** Returns the servers that were measured, Rust first, as in the other tables of goals. */
export function syncServers(sync: SyncResult): readonly TargetName[] {
  return COLUMNS.filter((name) => sync.servers[name] !== undefined);
}

export function syncGoalTable(sync: SyncResult): Table {
  const servers = syncServers(sync);
  return {
    head: ['Goal', ...servers.flatMap((name) => [SHORT_NAMES[name], 'goal', ''])],
    rows: SYNC_GOALS.map((goal) => [
      goal.title,
      ...servers.flatMap((name) => {
        const { value, most, isReached } = outcomeOf(goal, sync, name);
        const shown = value === undefined ? '—' : formatGoal(value, goal.unit);
        return [shown, mostText(goal, most), verdictText(isReached)];
      }),
    ]),
  };
}

function verdictText(isReached: boolean | undefined): string {
  if (isReached === undefined) return NOT_MEASURED;
  return isReached ? 'reached' : 'missed';
}

function mostText({ unit }: SyncGoal, most: number): string {
  return `≤ ${formatGoal(most, unit)}`;
}

export function formatGoal(value: number, unit: GoalUnit): string {
  switch (unit) {
    case 'ms':
      return formatValue(value, 'ms');
    case 'share':
      return percent(value);
    case 'per s':
      return `${formatValue(value, 'count')}/s`;
    case 'of it':
    case 'count':
      return formatValue(value, 'count');
  }
}

/**
 * Returns the table of one scenario, with a column for each figure that any of its rows has. `null` if there are no
 * rows.
 */
export function scenarioTable(sync: SyncResult, scenario: ScenarioName): Table | null {
  const rows = sync.rows.filter((row) => row.scenario === scenario);
  if (rows.length === 0) return null;
  const keys = (Object.keys(FIGURES) as FigureKey[]).filter((key) =>
    rows.some(({ figures }) => figures[key]),
  );
  const isTimed = rows.some(({ latency }) => latency !== null);
  const ordered = COLUMNS.flatMap((name) => rows.filter(({ server }) => server === name));
  return {
    head: [
      'Case',
      ...(isTimed ? LATENCIES.map(([label]) => label) : []),
      ...keys.map((key) => FIGURES[key].label),
    ],
    rows: ordered.map((row) => [
      caseText(row),
      ...(isTimed ? LATENCIES.map(([, key]) => latencyText(row, key)) : []),
      ...keys.map((key) => {
        const figure = row.figures[key];
        return figure === undefined ? '—' : figureText(figure);
      }),
    ]),
  };
}

function figureText(figure: Figure): string {
  const { spread, unit, median } = figure;
  return spread === null ? formatValue(median, unit) : formatSummary({ ...figure, spread }, unit);
}

const LATENCIES = [
  ['p50', 'p50_ms'],
  ['p95', 'p95_ms'],
  ['p99', 'p99_ms'],
  ['p99.9', 'p99_9_ms'],
  ['Minimum', 'min_ms'],
  ['Maximum', 'max_ms'],
  ['Mean', 'mean_ms'],
] as const;

function latencyText({ latency }: SyncRow, key: (typeof LATENCIES)[number][1]): string {
  const value = latency?.[key];
  return value === undefined ? '—' : formatValue(value, 'ms');
}

/** Returns the server and the parameters of a row as text. */
export function caseText({ server, parameters }: SyncRow): string {
  const asked = Object.entries(parameters).map(([name, value]) =>
    typeof value === 'number' ? `${name.replaceAll('_', ' ')} ${group(value)}` : value.replaceAll('_', ' '),
  );
  return [SHORT_NAMES[server], ...asked].join(', ');
}
