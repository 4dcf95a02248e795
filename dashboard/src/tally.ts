/**
 * Computes the figures of one session from its rows, in the shapes of the servers' statistics.
 *
 * Pure. The session's own values (events, errors, tokens, cost) are exact; all others cover the loaded rows.
 */
import type { Bucket, Cost, Counted, Percentiles, Row, Session, Spent, Stats, Tool } from './api.ts';
import { toolOf } from './columns.ts';
import { costsOfRow, sumOfCosts } from './costs.ts';
import { COST_SUMS, type CostSum } from './figure-names.ts';
import type { HourCounts } from './hourly.ts';

const HOUR_MS = 3_600_000;
/** Tools whose call is a question to the user. */
const ASKING: readonly (string | null)[] = ['AskUserQuestion', 'ExitPlanMode'];

export interface Headline {
  readonly turns: number;
  readonly calls: number;
  readonly waits: number;
}

export function headlineOf(rows: readonly Row[]): Headline {
  const waits = rows.filter(isQuestion).map(({ id, call_id }) => call_id ?? id);
  return {
    turns: rows.filter(({ event_type }) => event_type === 'user_prompt').length,
    calls: rows.filter(isCall).length,
    waits: new Set(waits).size,
  };
}

/** Returns whether a row is a call: a step announces a call but is not one (rule STA-02). */
function isCall({ tool_name, event_type }: Row): boolean {
  return tool_name !== null && event_type !== 'plan_step';
}

/** Returns whether the agent needs the user's answer to continue. */
function isQuestion(row: Row): boolean {
  if (row.source_event === 'PreToolUse') return ASKING.includes(toolOf(row));
  return row.source_event === 'PermissionRequest' || row.source_event === 'Elicitation';
}

export function statsOf(session: Session, rows: readonly Row[]): Stats {
  return {
    total_events: session.event_count,
    active_sessions: 0,
    total_sessions: 1,
    total_tokens_in: session.tokens_in,
    total_tokens_out: session.tokens_out,
    total_cost_usd: session.total_cost_usd,
    total_computed_cost_usd: session.total_computed_cost_usd,
    total_unpriced_tokens: session.unpriced_tokens,
    total_errors: session.error_count,
    agents: countedBy(rows, ({ agent_type }) => agent_type),
    models: countedBy(rows, ({ model }) => model),
    branches: countedBy(rows, ({ branch }) => branch),
  };
}

export function costOf(rows: readonly Row[]): Cost {
  const hourOf = ({ time }: Row) => new Date(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS).toISOString();
  const timeline = spentBy(rows, hourOf).map(({ name, ...sums }): Bucket => ({ bucket: name!, ...sums }));
  return {
    timeline: timeline.sort((a, b) => (a.bucket < b.bucket ? -1 : 1)),
    by_project: spentBy(rows, ({ project }) => project),
    by_model: spentBy(rows, ({ model }) => model),
  };
}

export function hourCountsOf(rows: readonly Row[]): HourCounts {
  const counts = new Map<number, [number, number]>();
  for (const { time, status } of rows) {
    const hour = (Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS) / 1000;
    const [count, failed] = counts.get(hour) ?? [0, 0];
    counts.set(hour, [count + 1, failed + (status === 'error' ? 1 : 0)]);
  }
  return counts;
}

export function toolsOf(rows: readonly Row[]): (Tool & Percentiles)[] {
  const calls = rows.filter(isCall);
  return [...Map.groupBy(calls, ({ tool_name }) => tool_name!)]
    .map(([tool_name, of]) => {
      const took = of.flatMap(({ duration_ms }) => duration_ms ?? []).sort((a, b) => a - b);
      const errors = of.filter(({ status }) => status === 'error').length;
      return {
        tool_name,
        total_calls: of.length,
        error_count: errors,
        error_rate: errors / of.length,
        // Nearest rank, as in rule SER-06.
        p50_ms: took[Math.ceil(took.length * 0.5) - 1] ?? null,
        p95_ms: took[Math.ceil((took.length * 95) / 100) - 1] ?? null,
      };
    })
    .sort((a, b) => b.total_calls - a.total_calls);
}

/** Returns the events of each of the last whole seconds, oldest first; `null` for seconds before `from_ms`. */
export function secondsOf(
  rows: readonly Row[],
  {
    now_ms,
    seconds,
    from_ms,
  }: { readonly now_ms: number; readonly seconds: number; readonly from_ms: number },
): [number[], (number | null)[]] {
  const end = Math.floor(now_ms / 1000);
  const counts = new Map<number, number>();
  for (const { time } of rows) {
    const second = Math.floor(Date.parse(time) / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  const at = Array.from({ length: seconds }, (_, i) => end - seconds + i);
  return [at, at.map((second) => (second * 1000 < from_ms ? null : (counts.get(second) ?? 0)))];
}

function spentBy(rows: readonly Row[], nameOf: (row: Row) => string | null): Spent[] {
  const named = rows.filter((row) => nameOf(row) !== null);
  return [...Map.groupBy(named, (row) => nameOf(row)!)]
    .map(([name, of]) => ({
      name,
      ...sumsOf(of),
      unpriced_tokens: sumOfCosts(of.map(costsOfRow)).unpriced,
      event_count: of.length,
    }))
    .sort((a, b) => b.event_count - a.event_count);
}

function sumsOf(rows: readonly Row[]): Record<CostSum, number> {
  const sums = COST_SUMS.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)] as const);
  return Object.fromEntries(sums) as Record<CostSum, number>;
}

function countedBy(rows: readonly Row[], nameOf: (row: Row) => string | null): Counted[] {
  return spentBy(rows, nameOf).map(({ name, event_count }) => ({ name, count: event_count }));
}
