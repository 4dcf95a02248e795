/**
 * DATA: the strategies that are measured beside each other, the shipped one first.
 *
 * A seam: tests put one there that is wrong on purpose.
 */
import { inStep, inStepByDefault } from './in-step.ts';
import { poll } from './poll.ts';
import { fetchEach, push } from './push.ts';
import type { Follow } from './strategy.ts';

export const STRATEGY_NAMES = ['sync', 'push', 'fetch_each', 'debounce_50', 'poll_250'] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];

export type Strategies = Readonly<Record<StrategyName, Follow>>;

export const STRATEGIES: Strategies = {
  sync: inStepByDefault,
  push,
  fetch_each: fetchEach,
  debounce_50: inStep({ throttle_ms: 0, debounce_ms: 50 }),
  poll_250: poll(250),
};

/** As tables and plots call them. */
export const STRATEGY_LABELS: Readonly<Record<StrategyName, string>> = {
  sync: 'Sync (16 ms)',
  push: 'push of every event',
  fetch_each: 'fetch per event',
  debounce_50: 'debounce 50 ms',
  poll_250: 'poll every 250 ms',
};
