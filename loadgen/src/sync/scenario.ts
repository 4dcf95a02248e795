/**
 * A scenario: one question about staying in sync, measured with one server after the other.
 *
 * Invariants: every scenario starts each server as a fresh process with a fresh file. A scenario throws if it finds a
 * client out of sync.
 */

import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { freshnessOf } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency } from '../load/drivers/driver.ts';
import type { Host, Launch } from '../run/host.ts';
import type { Poster } from './poster.ts';
import type { ScenarioName, SyncRow } from './result.ts';
import type { Sizes } from './sizes.ts';
import type { FollowOptions, Strategies } from './strategies/strategy.ts';

export interface Scenario {
  readonly name: ScenarioName;
  measure(server: TargetName, context: ScenarioContext): Promise<void>;
}

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly strategies: Strategies;
  readonly poster: Poster;
  add(row: Pick<SyncRow, 'parameters' | 'figures'> & { readonly latency: Latency | null }): void;
  /** Records that something is not measured, and why. */
  skip(reason: string): void;
}

export function followOptions(host: Host, { seed, sizes, launch }: ScenarioContext): FollowOptions {
  const random = seededRandom(seed);
  return { url: host.url, random: random.next, patience_ms: sizes.patience_ms, lifetime: launch.lifetime };
}

/** Returns the other server, for a swap. If it is not built, reports the swap as not measured and returns `null`. */
export async function twinOf(server: TargetName, context: ScenarioContext): Promise<TargetName | null> {
  const twin = server === 'rs' ? 'ts' : 'rs';
  if ((await freshnessOf(context.launch.contenders.targets[twin])) !== 'missing') return twin;
  context.skip(`no swap: the other server, ${twin}, is not built`);
  return null;
}
