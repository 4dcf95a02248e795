/**
 * The scope of the figures: everything stored, or the session that the feed is filtered by.
 *
 * Invariant: figures of one session never appear under the name of another, nor those of everything under a session's
 * name.
 */
import { computed, signal } from '@preact/signals';
import type { Percentiles, Row, Session } from './api.ts';
import { costsOfStats, isSpent } from './costs.ts';
import { cost, durations, events, RATE_SECONDS, rate, sessions, stats, tools } from './figures.ts';
import { costOf, headlineOf, hourCountsOf, secondsOf, statsOf, toolsOf } from './tally.ts';
import { now_ms } from './time.ts';
import { filters } from './view.ts';

/** Number of the newest rows of a session from which its figures are computed. */
export const SCOPE_ROWS = 1000;

interface Scope {
  readonly session: Session;
  /** Newest first. */
  readonly rows: readonly Row[];
  /** Whether these are all rows of the session. */
  readonly isWhole: boolean;
}

/** The selected session. */
export const scopeId = computed(() => filters.value.session_id ?? null);
const loaded = signal<Scope | null>(null);
/** The data of the selected session; `null` if no session is selected or its data is not loaded yet. */
export const scope = computed(() => (loaded.value?.session.id === scopeId.value ? loaded.value : null));

/** Adds an answer; `isReset`: it does not continue the loaded rows. */
export function takeScope(session: Session, came: readonly Row[], isReset: boolean, isWhole: boolean): void {
  const before = loaded.value;
  const goesOn = !isReset && before?.session.id === session.id;
  const rows = goesOn ? [...came, ...before.rows] : came;
  loaded.value = {
    session,
    rows: rows.slice(0, SCOPE_ROWS),
    isWhole: rows.length <= SCOPE_ROWS && (goesOn ? before.isWhole : isWhole),
  };
}

/** Computes a figure of everything or of the selected session; `null` before the first answer. */
const ofScope = <T>(all: () => T | null, of: (scope: Scope) => T) =>
  computed(() => {
    if (scopeId.value === null) return all();
    return scope.value === null ? null : of(scope.value);
  });

const NOT_MEASURED: Percentiles = { p50_ms: null, p95_ms: null };

export const shownStats = ofScope(
  () => stats.value,
  ({ session, rows }) => statsOf(session, rows),
);
export const shownTools = ofScope(
  () =>
    tools.value?.map((tool) => ({
      ...NOT_MEASURED,
      ...tool,
      ...durations.value.get(tool.tool_name ?? ''),
    })) ?? null,
  ({ rows }) => toolsOf(rows),
);
export const shownCost = ofScope(
  () => cost.value,
  ({ rows }) => costOf(rows),
);
export const shownEvents = ofScope(
  () => events.value,
  ({ rows }) => hourCountsOf(rows),
);
export const headline = computed(() => scope.value && headlineOf(scope.value.rows));

/** Events of each of the last seconds: Unix seconds, and a number or null. */
export const perSecond = computed<[number[], (number | null)[]]>(() => {
  if (scopeId.value === null) return rate.series(now_ms.value);
  const rows = scope.value?.rows ?? [];
  const oldest = rows.at(-1)?.time;
  const isWhole = scope.value?.isWhole ?? false;
  const from_ms = isWhole ? 0 : oldest === undefined ? Infinity : Date.parse(oldest);
  return secondsOf(rows, { now_ms: now_ms.value, seconds: RATE_SECONDS, from_ms });
});

/** Returns the mean of the last five whole seconds. */
export const recentRate = computed(
  () => perSecond.value[1].slice(-5).reduce<number>((sum, count) => sum + (count ?? 0), 0) / 5,
);

/** Whether an event has reported tokens; a zero that was not measured is not shown. */
export const hasTokens = computed(() => {
  const at = shownStats.value;
  return at !== null && at.total_tokens_in + at.total_tokens_out > 0;
});
/** Whether an event has reported a cost. */
export const hasReportedCost = computed(() => (shownStats.value?.total_cost_usd ?? 0) > 0);
/** Whether the server has computed a cost. */
export const hasComputedCost = computed(() => (shownStats.value?.total_computed_cost_usd ?? 0) > 0);
/** Whether an event has a cost or tokens, whose price may be zero or unknown. */
export const hasCost = computed(() => {
  const at = shownStats.value;
  return at !== null && (isSpent(costsOfStats(at)) || hasTokens.value);
});

/** The status of the selected session, as in the list. */
export const scopeStatus = computed(
  () => sessions.value?.find(({ session }) => session.id === scopeId.value)?.status ?? null,
);
