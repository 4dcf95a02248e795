/**
 * A scene: one question about keeping in step, asked of one server after the other.
 *
 * What must stay true: each server's process and file are fresh in every scene; a scene that finds a client out of
 * step throws, and no figure makes up for it.
 */

import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { freshnessOf } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Host } from '../host.ts';
import type { Launch } from '../launch.ts';
import type { Progress } from '../progress.ts';
import type { Poster } from './poster.ts';
import type { Sizes } from './sizes.ts';
import type { FollowOptions } from './strategies/strategy.ts';
import type { Strategies } from './strategies/table.ts';
import type { SceneName, SyncRow } from './sync-result.ts';

export interface Scene {
  readonly name: SceneName;
  measure(server: TargetName, context: SceneContext): Promise<void>;
}

export interface SceneContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly strategies: Strategies;
  readonly poster: Poster;
  readonly progress: Progress;
  add(row: Omit<SyncRow, 'scene' | 'server'>): void;
  /** What is not measured, and why. */
  skip(reason: string): void;
}

export function followOptions(host: Host, { seed, sizes, launch }: SceneContext): FollowOptions {
  const random = seededRandom(seed);
  return { url: host.url, random: random.next, patience_ms: sizes.patience_ms, lifetime: launch.lifetime };
}

/** The other server, to swap a server for; `null`, told as not measured, where it is not built. */
export async function twinOf(server: TargetName, context: SceneContext): Promise<TargetName | null> {
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
