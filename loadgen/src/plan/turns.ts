/** The order in which the servers take turns. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

/** Returns `count` turns of each server in the order A B B A A B B A …, so that a drift favours neither. */
export function inTurn(names: readonly TargetName[], count: number): TargetName[] {
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? names : [...names].reverse())).flat();
}
