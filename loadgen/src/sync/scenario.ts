/**
 * A scenario: one question about staying in sync, measured with one server after the other.
 *
 * Invariants: every scenario starts each server as a fresh process with a fresh file. A scenario throws if it finds a
 * client out of sync.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Parameters } from '../result/suite-rows.ts';
import type { Host, Launch } from '../run/host.ts';
import type { Journal } from './journal.ts';
import type { Poster } from './posting.ts';
import type { Sample } from './result.ts';
import type { Sizes } from './sizes.ts';
import type { Follow, Strategies } from './strategies.ts';

export type Scenario = (server: TargetName, context: ScenarioContext) => Promise<void>;

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly strategies: Strategies;
  readonly poster: Poster;
  /** The servers of the run. */
  readonly targets: readonly TargetName[];
  /** Adds a row with the figures of all samples. */
  add(parameters: Parameters, samples: readonly Sample[]): void;
  /** Records that the scenario is not measured, and why. */
  skip(reason: string): void;
}

/** Runs `use` with a client that follows the server. Fails if the client is out of sync afterwards. */
export async function withFollower(
  follow: Follow,
  { url }: Host,
  { seed, launch: { lifetime } }: ScenarioContext,
  use: (journal: Journal) => Promise<void>,
): Promise<void> {
  const { journal, stop } = await follow({ url, seed, lifetime });
  await use(journal);
  journal.check();
  await stop();
}

/** Measures so many times, one after the other. */
export function repeated<T>(count: number, measure: () => Promise<T>): Promise<T[]> {
  return Array.fromAsync({ length: count }, measure);
}
