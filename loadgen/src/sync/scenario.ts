/**
 * A scenario: one question about staying in sync, measured with one server after the other.
 *
 * Invariants: every scenario starts each server as a fresh process with a fresh file. A scenario throws if it finds a
 * client out of sync.
 */
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency } from '../load/drivers/driver.ts';
import type { Host, Launch } from '../run/host.ts';
import type { Poster } from './poster.ts';
import type { Parameters, Sample } from './result.ts';
import type { Sizes } from './sizes.ts';
import type { FollowOptions, Strategies } from './strategies.ts';

export type Scenario = (server: TargetName, context: ScenarioContext) => Promise<void>;

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly strategies: Strategies;
  readonly poster: Poster;
  /** The servers of the run. */
  readonly targets: readonly TargetName[];
  /** Adds a row: the figures of all samples, and the latency over all of them if single operations were timed. */
  add(parameters: Parameters, samples: readonly Sample[], latency?: Latency | null): void;
  /** Records that something is not measured, and why. */
  skip(reason: string): void;
}

export function followOptions(host: Host, { seed, sizes, launch }: ScenarioContext): FollowOptions {
  const random = seededRandom(seed);
  return { url: host.url, random: random.next, patience_ms: sizes.patience_ms, lifetime: launch.lifetime };
}

/** Returns the other server, for a swap. With one server alone, reports the swap as not measured and returns `null`. */
export function twinOf(server: TargetName, { targets, skip }: ScenarioContext): TargetName | null {
  const twin = targets.find((name) => name !== server) ?? null;
  if (twin === null) skip('no swap: one server alone is measured');
  return twin;
}

/** Measures so many times, one after the other. */
export function repeated<T>(count: number, measure: () => Promise<T>): Promise<T[]> {
  return Array.fromAsync({ length: count }, measure);
}
