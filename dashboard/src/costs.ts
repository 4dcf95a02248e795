/**
 * Sums of costs: what events reported, what the server computed, and the tokens that have no price (rule PRI-06).
 *
 * Pure. The three are never added: only the first is what an agent said.
 */
import type { Row, Session, Spent, Stats } from './api.ts';

export interface Costs {
  readonly reported: number;
  readonly computed: number;
  /** Tokens without a price. */
  readonly unpriced: number;
  /** All tokens; without any there is no cost, not even one of zero. */
  readonly tokens: number;
}

export const NO_COST: Costs = { reported: 0, computed: 0, unpriced: 0, tokens: 0 };

/** Returns whether there is more to say than zero. */
export function isSpent({ reported, computed, unpriced }: Costs): boolean {
  return reported + computed + unpriced > 0;
}

/** Orders by cost, the highest first, and without one by tokens without a price. */
export function byCost(one: Costs, other: Costs): number {
  const difference = other.reported + other.computed - one.reported - one.computed;
  return difference === 0 ? other.unpriced - one.unpriced : difference;
}

export function costsOfRow(row: Row): Costs {
  const tokens = row.tokens_in + row.tokens_out + row.cache_read_tokens + row.cache_write_tokens;
  const isPriced = row.cost_usd !== null || row.computed_cost_usd !== null;
  return {
    reported: row.cost_usd ?? 0,
    computed: row.computed_cost_usd ?? 0,
    unpriced: isPriced ? 0 : tokens,
    tokens,
  };
}

export function costsOfSession(session: Session): Costs {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = session;
  return {
    reported: session.total_cost_usd,
    computed: session.total_computed_cost_usd,
    unpriced: session.unpriced_tokens,
    tokens: tokens_in + tokens_out + cache_read_tokens + cache_write_tokens,
  };
}

export function costsOfStats(stats: Stats): Costs {
  return {
    reported: stats.total_cost_usd,
    computed: stats.total_computed_cost_usd,
    unpriced: stats.total_unpriced_tokens,
    tokens: stats.total_tokens_in + stats.total_tokens_out,
  };
}

export function costsOfSpent(spent: Spent): Costs {
  return {
    reported: spent.cost_usd,
    computed: spent.computed_cost_usd,
    unpriced: spent.unpriced_tokens,
    tokens: spent.tokens_in + spent.tokens_out,
  };
}

export function sumOfCosts(list: readonly Costs[]): Costs {
  const sum = (of: (costs: Costs) => number): number => list.reduce((total, costs) => total + of(costs), 0);
  return {
    reported: sum(({ reported }) => reported),
    computed: sum(({ computed }) => computed),
    unpriced: sum(({ unpriced }) => unpriced),
    tokens: sum(({ tokens }) => tokens),
  };
}
