/**
 * The sync suite's result for the terminal and for docs/suites/sync.md: the goals, then the rows of each scenario.
 *
 * Invariants: every verdict is computed from the result. A value that was not measured is shown as not measured.
 */
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { tableText } from '../codecs/report/terminal.ts';
import { commitOf } from '../report/conditions.ts';
import { formatDuration, formatSummary, formatValue, group, NOT_MEASURED } from '../report/format.ts';
import { bullets, markdownTable, markdownText } from '../report/markdown-table.ts';
import { SHORT_NAMES } from '../report/names.ts';
import type { Table } from '../report/rows.ts';
import { rowsWhere } from '../result/suite-rows.ts';
import { type GoalUnit, outcomeOf, SYNC_GOALS } from './goals.ts';
import {
  FIGURE_KEYS,
  FIGURES,
  type Figure,
  SCENARIO_NAMES,
  SCENARIO_TITLES,
  type SyncResult,
  type SyncRow,
} from './result.ts';

const READING =
  'Measured with the shipped client (`Topics` and `Sync`). Medians, in parentheses minimum and maximum; ' +
  'each server has a fresh process and file in every scenario. The run fails if the shipped client misses the last state ' +
  'or applies an older one, also when servers are killed or swapped.';

export function syncTerminal(sync: SyncResult): string {
  return `${[tableText(syncGoalTable(sync)), ...facts(sync), ...warnings(sync)].join('\n')}\n`;
}

/** Returns the whole document, with every row. */
export function syncDocument(sync: SyncResult): string {
  const lines = [...facts(sync).map((line) => `${line}.`), ...warnings(sync)];
  const scenarios = SCENARIO_NAMES.flatMap((name) => {
    const rows = TARGET_NAMES.flatMap((server) => rowsWhere(sync, name, server));
    return rows.length === 0 ? [] : [`## ${SCENARIO_TITLES[name]}`, markdownTable(tableOf(rows))];
  });
  // The title and the verdicts are texts, so they are aligned to the left.
  const goals = markdownTable(syncGoalTable(sync), [0, 3, 6]);
  const parts = ['# Staying in sync', READING, goals, bullets(lines.map(markdownText)), ...scenarios];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the goals and verdicts of the servers that were measured, Rust first. */
export function syncGoalTable(sync: SyncResult): Table {
  const servers = TARGET_NAMES.filter((name) => sync.servers[name] !== undefined);
  return {
    head: ['Goal', ...servers.flatMap((name) => [SHORT_NAMES[name], 'goal', ''])],
    rows: SYNC_GOALS.map((goal) => [
      goal.title,
      ...servers.flatMap((name) => {
        const { value, most, isReached } = outcomeOf(goal, sync, name);
        const asked = `≤ ${formatGoal(most, goal.unit)}`;
        if (value === undefined) return ['—', asked, NOT_MEASURED];
        return [formatGoal(value, goal.unit), asked, isReached ? 'reached' : 'missed'];
      }),
    ]),
  };
}

export function formatGoal(value: number, unit: GoalUnit): string {
  if (unit === 'ms' || unit === 'share') return formatValue(value, unit);
  return `${formatValue(value, 'count')}${unit === 'per s' ? '/s' : ''}`;
}

/** Returns the rows of one scenario, with a column for each figure that any of them has. */
function tableOf(rows: readonly SyncRow[]): Table {
  const keys = FIGURE_KEYS.filter((key) => rows.some(({ figures }) => figures[key]));
  return {
    head: ['Case', ...keys.map((key) => FIGURES[key].label)],
    rows: rows.map((row) => [caseText(row), ...keys.map((key) => figureText(row.figures[key]))]),
  };
}

function figureText(figure: Figure | undefined): string {
  if (figure === undefined) return '—';
  const { spread, unit, median } = figure;
  return spread === null ? formatValue(median, unit) : formatSummary({ ...figure, spread }, unit);
}

/** Returns the server and the parameters of a row as text. */
function caseText({ server, parameters }: SyncRow): string {
  const asked = Object.entries(parameters).map(([name, value]) =>
    typeof value === 'number' ? `${name.replaceAll('_', ' ')} ${group(value)}` : value.replaceAll('_', ' '),
  );
  return [SHORT_NAMES[server], ...asked].join(', ');
}

/** Returns the conditions of the run, and what it did not measure. */
function facts(sync: SyncResult): string[] {
  const { environment: machine, quick, seed, skipped } = sync;
  return [
    `${machine.cpu_model ?? 'unknown CPU'}, ${machine.cpu_cores} cores, ${machine.platform} ${machine.kernel}, ` +
      `Node ${machine.node_version}, ${machine.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(sync)}, ${sync.created_at.slice(0, 10)}, in ${formatDuration(sync.took_s)}, seed ${seed}`,
    ...(quick ? ['a quick run, which makes no claim'] : []),
    ...skipped.map(
      ({ scenario, server, reason }) =>
        `Not measured: ${SCENARIO_TITLES[scenario]}, ${SHORT_NAMES[server]}: ${reason}`,
    ),
  ];
}

function warnings(sync: SyncResult): string[] {
  return sync.warnings.map(
    ({ message, advice }) => `Warning: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
  );
}
