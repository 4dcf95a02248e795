/** Generated from `contract/figures.json` by `pnpm contract:update`: figures that the page plots and names. */

/** The label of each figure. */
export const FIGURE_LABELS = {
  event_count: 'Events',
  call_count: 'Calls',
  error_count: 'Errors',
  duration_count: 'Timed',
  duration_ms: 'Took',
  tokens_in: 'Tokens in',
  tokens_out: 'Tokens out',
  cache_read_tokens: 'Read from cache',
  cache_write_tokens: 'Written to cache',
  cost_usd: 'Cost',
  computed_cost_usd: 'Computed cost',
  unpriced_tokens: 'Tokens without a price',
} as const;

/** The sums of an hour or a name in `GET /api/stats/cost`; each adds up the field of its name. */
export const COST_SUMS = ['cost_usd', 'computed_cost_usd', 'tokens_in', 'tokens_out'] as const;

export type CostSum = (typeof COST_SUMS)[number];

/** Those that are tokens, in their order. */
export const TOKEN_SUMS = ['tokens_in', 'tokens_out'] as const;
