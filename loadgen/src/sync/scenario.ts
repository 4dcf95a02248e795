/**
 * A scenario: one question about staying in sync, asked of one server after the other.
 *
 * Invariants: process and file of each server are fresh in every scenario. A scenario that finds a client out of sync
 * throws.
 */

import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { freshnessOf } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency } from '../load/drivers/driver.ts';
import type { Host } from '../run/host.ts';
import type { Launch } from '../run/launch.ts';
import type { Progress } from '../run/progress.ts';
import type { Poster } from './poster.ts';
import type { ScenarioName, SyncRow } from './result.ts';
import type { Sizes } from './sizes.ts';
import type { FollowOptions } from './strategies/strategy.ts';
import type { Strategies } from './strategies/table.ts';

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
  readonly progress: Progress;
  add(row: Pick<SyncRow, 'parameters' | 'figures'> & { readonly latency: Latency | null }): void;
  /** What is not measured, and why. */
  skip(reason: string): void;
}

export function followOptions(host: Host, { seed, sizes, launch }: ScenarioContext): FollowOptions {
  const random = seededRandom(seed);
  return { url: host.url, random: random.next, patience_ms: sizes.patience_ms, lifetime: launch.lifetime };
}

/** The other server, to swap a server for; `null`, reported as not measured, where it is not built. */
export async function twinOf(server: TargetName, context: ScenarioContext): Promise<TargetName | null> {
  const twin = server === 'rs' ? 'ts' : 'rs';
  if ((await freshnessOf(context.launch.contenders.targets[twin])) !== 'missing') return twin;
  context.skip(`no swap: the other server, ${twin}, is not built`);
  return null;
}

/** The server, and then it is gone with its file, whatever came in between. */
export async function withHost<T>(starting: Promise<Host>, use: (host: Host) => Promise<T>): Promise<T> {
  const host = await starting;
  const found = await use(host);
  await host.stop();
  await host.discard();
  return found;
}
