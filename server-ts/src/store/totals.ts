/**
 * Reads the statistics: sums that the writer keeps up to date, so that no read counts events (rules STA-01 to
 * STA-06).
 *
 * Belongs to a reader's thread. All time is two rows per name, so no read counts events.
 */
import { nowMs } from '../clock.ts';
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import type { FlatRow } from '../render.ts';
import type { Queries } from './query.ts';
import { ALL_TIME, quarterOf } from './stats.ts';

export interface StatsFilter {
  readonly agentType?: string | undefined;
  /** Unix milliseconds at the start of a quarter of an hour. */
  readonly since?: number | undefined;
  /** Unix milliseconds at the start of a quarter of an hour, exclusive. */
  readonly until?: number | undefined;
}

type Bounds = readonly [first: number, last: number, agentType: number | null];

export class Totals {
  private readonly queries: Queries;
  private readonly filter: StatsFilter;
  private readonly bounds: Bounds;

  constructor(queries: Queries, filter: StatsFilter) {
    this.queries = queries;
    this.filter = filter;
    this.bounds = boundsOf(queries, filter);
  }

  totals(): FlatRow {
    return this.queries.prepared(QUERIES.selectTotals).get(...this.bounds) as FlatRow;
  }

  sessionTotals(): FlatRow {
    const [, , agentType] = this.bounds;
    const { since, until } = this.filter;
    const statement = this.queries.prepared(QUERIES.selectSessionTotals);
    return statement.get(nowMs() - this.queries.timeoutMs, since, agentType, until) as FlatRow;
  }

  agents(): FlatRow[] {
    return this.queries.prepared(QUERIES.selectAgents).all(...this.bounds, LIMITS.listed_names) as FlatRow[];
  }

  counts(kind: string): FlatRow[] {
    return this.queries
      .prepared(QUERIES.selectCounts)
      .all(...this.bounds, kind, LIMITS.listed_names) as FlatRow[];
  }

  calls(): FlatRow[] {
    return this.queries.prepared(QUERIES.selectCalls).all(...this.bounds, LIMITS.listed_names) as FlatRow[];
  }

  tools(): FlatRow[] {
    return this.queries.prepared(QUERIES.selectTools).all(...this.bounds, LIMITS.listed_names) as FlatRow[];
  }

  toolAgents(): FlatRow[] {
    return this.queries
      .prepared(QUERIES.selectToolAgents)
      .all(...this.bounds, LIMITS.listed_names) as FlatRow[];
  }

  costs(kind: string): FlatRow[] {
    return this.queries
      .prepared(QUERIES.selectCosts)
      .all(...this.bounds, kind, LIMITS.listed_names) as FlatRow[];
  }

  costTimeline(limit: number): FlatRow[] {
    const [, last, agentType] = this.bounds;
    const first = this.filter.since === undefined ? 0 : Math.max(0, this.filter.since / 1000);
    // Of all time, the quarters are those before the sums of all time.
    return this.queries
      .prepared(QUERIES.selectCostTimeline)
      .all(first, Math.min(last, ALL_TIME - 1), agentType, limit) as FlatRow[];
  }
}

/** Returns first quarter, last quarter and agent. All time is two rows per name, not a sum over all quarters. */
function boundsOf(queries: Queries, { agentType: name, since, until }: StatsFilter): Bounds {
  const agentType = queries.filterId('agent_type', name);
  if (since === undefined && until === undefined) {
    return [queries.pluck(QUERIES.selectOpenQuarter)!, ALL_TIME, agentType];
  }
  const last = until === undefined ? ALL_TIME - 1 : quarterOf(until - 1);
  return [Math.max(0, (since ?? 0) / 1000), last, agentType];
}
