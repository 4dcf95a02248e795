/** DATA: the strategies that are compared, the shipped one first. */
import { fetchEach, poll, push } from './strategies/alternatives.ts';
import { shippedClient } from './strategies/client.ts';
import type { Strategies } from './strategies/strategy.ts';

export const STRATEGIES: Strategies = {
  sync: shippedClient(),
  push,
  fetch_each: fetchEach,
  debounce_50: shippedClient({ throttle_ms: 0, debounce_ms: 50 }),
  poll_250: poll(250),
};
