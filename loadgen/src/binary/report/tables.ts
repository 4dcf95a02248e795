/**
 * The binary suite's result as tables: the goals, a table for each size and server, and `/livez`.
 *
 * Invariants: every verdict is computed from the result. A value that was not measured is shown as not measured.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { compareRounds, deviation, mean, median, quantile } from '../../analyse/statistics.ts';
import { formatRatio, group, NOT_MEASURED, percent, ratioDigits } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import { type Goal, type GoalUnit, outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import { type BinaryResult, type BinaryRow, rowsWhere } from '../result.ts';

const COLUMNS: readonly TargetName[] = ['rs', 'ts'];
const NONE = '—';

export const BINARY_TITLE = 'Binary data in a page';

export const BINARY_READING =
  'Milliseconds from the request to the ArrayBuffer in a page of a real Chromium, mean and standard deviation of the ' +
  'rounds. Each round has another order of the methods, and both servers take turns. "vs numbers" is the median of the ' +
  'number array over that of the method, with an interval of 95 %. "block" is the longest gap between two turns of ' +
  'the main thread in any round; a timer of 1 to 4 ms is part of it. "encode" is what the server takes for the form of ' +
  'its bytes, p50. The clock of a page has steps of 0.1 ms. ' +
  'Each result has the right SHA-256.';

export interface Titled {
  readonly title: string;
  readonly table: Table;
}

export function binaryServers({ servers }: BinaryResult): readonly TargetName[] {
  return COLUMNS.filter((name) => servers[name] !== undefined);
}

export function binaryGoalTable(result: BinaryResult): Table {
  const servers = binaryServers(result);
  return {
    head: ['Goal, 3,464,800 bytes', 'the original', 'asked', ...servers.map((name) => SHORT_NAMES[name])],
    rows: GOALS.map((goal) => [
      goal.title,
      goal.prior.figure,
      askedText(goal),
      ...servers.map((name) => {
        const { found, share, isMet } = outcomeOf(goal, result, name);
        if (found === null) return NOT_MEASURED;
        const verdict = share === null || isMet === null ? 'stated' : verdictText(share, isMet);
        return `${binaryGoalText(found, goal.unit)}, ${verdict}`;
      }),
    ]),
  };
}

function askedText({ goal, unit }: Goal): string {
  if (goal === null) return NONE;
  return `${unit === 'times' ? '≥' : '≤'} ${unit === 'times' ? `${goal} times` : `${goal} ms`}`;
}

function verdictText(share: number, isMet: boolean): string {
  return isMet ? 'met' : `missed by ${percent(Math.abs(1 - share))}`;
}

export function binaryGoalText(value: number, unit: GoalUnit): string {
  return unit === 'times' ? `${ratioDigits(value)} times` : `${value.toFixed(1)} ms`;
}

/** Returns a table for each size and server, then the table of `/livez`. Tables without rows are left out. */
export function binaryTables(result: BinaryResult): Titled[] {
  const servers = binaryServers(result);
  const sizes = new Set(
    result.rows.flatMap(({ scenario, parameters }) => (scenario === 'transfer' ? parameters.bytes! : [])),
  );
  const transfers = [...sizes].flatMap((bytes) =>
    servers.flatMap((server) => transferTable(result, server, Number(bytes))),
  );
  return [...transfers, ...livezTable(result, servers)];
}

function transferTable(result: BinaryResult, server: TargetName, bytes: number): Titled[] {
  const rowOf = (method: string) => rowsWhere(result, 'transfer', server, { bytes, method })[0];
  const numbers = rowOf('numbers')?.figures.took_ms;
  const rows = result.methods.flatMap(({ name, title }) => {
    const row = rowOf(name);
    const took = row?.figures.took_ms;
    if (row === undefined || took === undefined) return [];
    const isBase = numbers === undefined || took === numbers;
    return [
      [
        title,
        spreadText(took),
        quantileText(took, 0.5),
        quantileText(took, 0.95),
        group(median(row.figures.received_bytes ?? []) ?? bytes),
        quantileText(row.figures.block_ms, 1),
        quantileText(row.figures.encode_ms, 0.5, 2),
        isBase ? NONE : formatRatio(compareRounds(numbers, took)),
      ],
    ];
  });
  if (rows.length === 0) return [];
  const head = ['Method', 'mean ± sd', 'p50', 'p95', 'bytes', 'block', 'encode', 'vs numbers'];
  const rounds = rowsWhere(result, 'transfer', server, { bytes })[0]!.figures.took_ms!.length;
  const title = `${group(bytes)} bytes, ${SHORT_NAMES[server]}: ms, rounds: ${rounds}`;
  return [{ title, table: { head, rows } }];
}

function spreadText(values: readonly number[]): string {
  const [centre, sd] = [mean(values), deviation(values)];
  if (centre === null) return NONE;
  return sd === null ? centre.toFixed(1) : `${centre.toFixed(1)} ± ${sd.toFixed(1)}`;
}

/**
 * Returns a quantile of the values as text. The clock of a page has one decimal. A `share` of 0.5 is the median, as in
 * goals.
 */
function quantileText(values: readonly number[] | undefined, share: number, decimals = 1): string {
  if (values === undefined) return NONE;
  const sorted = values.toSorted((one, other) => one - other);
  const found = share === 0.5 ? median(sorted)! : quantile(sorted, share);
  return found.toFixed(decimals);
}

const LOADS: Readonly<Record<string, string>> = {
  idle: 'nothing',
  echo: '/bench/echo',
  blob: '/bench/blob',
};

function livezTable(result: BinaryResult, servers: readonly TargetName[]): Titled[] {
  const found = servers.flatMap((server) => rowsWhere(result, 'livez', server));
  if (found.length === 0) return [];
  const largest = Math.max(...found.map(({ parameters }) => Number(parameters.bytes)));
  const title = `GET /livez of another client while bodies of ${group(largest / 1024 / 1024)} MiB go through, ms`;
  const head = ['Meanwhile', 'p50', 'p99', 'maximum', 'requests', 'bodies, MB/s'];
  return [{ title, table: { head, rows: found.map(livezCells) } }];
}

/** Returns the cells of a `/livez` row. p50 and p99 are medians of the slices; the maximum is that of all slices. */
function livezCells({ server, parameters, figures }: BinaryRow): string[] {
  const sum = (figures.requests ?? []).reduce((total, value) => total + value, 0);
  const rate = median(figures.mb_per_s ?? []);
  return [
    `${SHORT_NAMES[server]}, ${LOADS[parameters.load!] ?? parameters.load}`,
    quantileText(figures.p50_ms, 0.5, 2),
    quantileText(figures.p99_ms, 0.5, 2),
    quantileText(figures.max_ms, 1, 2),
    group(sum),
    rate === null ? NONE : group(Math.round(rate)),
  ];
}
