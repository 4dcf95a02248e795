/**
 * DATA: the strategies that are compared, the shipped one first.
 *
 * They are a parameter of the suite, so that tests can pass faulty ones.
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
