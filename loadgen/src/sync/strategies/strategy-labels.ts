/** DATA: the names and descriptions of the strategies, the shipped one first. */

export const STRATEGY_NAMES = ['sync', 'push', 'fetch_each', 'debounce_50', 'poll_250'] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** The labels of the strategies in tables and plots. */
export const STRATEGY_LABELS: Readonly<Record<StrategyName, string>> = {
  sync: 'Sync (16 ms)',
  push: 'push of every event',
  fetch_each: 'fetch per event',
  debounce_50: 'debounce 50 ms',
  poll_250: 'poll every 250 ms',
};
