/**
 * DATA: the strategies that are measured next to each other, the shipped one first.
 *
 * A seam: tests put one there that is wrong on purpose.
 */
import { shippedClient, shippedClientByDefault } from './client.ts';
import { poll } from './poll.ts';
import { fetchEach, push } from './push.ts';
import type { Follow } from './strategy.ts';
import type { StrategyName } from './strategy-labels.ts';

export type Strategies = Readonly<Record<StrategyName, Follow>>;

export const STRATEGIES: Strategies = {
  sync: shippedClientByDefault,
  push,
  fetch_each: fetchEach,
  debounce_50: shippedClient({ throttle_ms: 0, debounce_ms: 50 }),
  poll_250: poll(250),
};
