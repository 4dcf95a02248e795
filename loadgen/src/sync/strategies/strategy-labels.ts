/** DATA: the names of the strategies, the shipped one first. */

export const STRATEGY_NAMES = ['sync', 'push', 'fetch_each', 'debounce_50', 'poll_250'] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];
