/**
 * The program `pnpm bench:sync` as a story: flags, builds, each scene with each server, doubts, the result.
 *
 * Takes its servers and strategies as parameters, so that tests can give it some that are wrong. What must stay true:
 * whatever ends it, its children and folders are gone afterwards; a client that was out of step ends it with 1.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Contenders, programsOf } from '../contenders.ts';
import { readEnvironment } from '../environment.ts';
import { readableJson } from '../export/json.ts';
import { syncTerminal } from '../export/sync-terminal.ts';
import { BenchFailure } from '../failure.ts';
import { readHealth } from '../health.ts';
import { Host } from '../host.ts';
import type { Launch } from '../launch.ts';
import { readMachine } from '../machine.ts';
import { shownFlags } from '../options/shown-flags.ts';
import { dropUnfinished, keepUnfinished, type Place, putPart } from '../part-file.ts';
import { choosePlacement } from '../placement.ts';
import { createProgress } from '../progress.ts';
import { Promises } from '../promises.ts';
import { runCommand } from '../run-command.ts';
import { doubtsAbout, doubtsAboutScene } from './doubts.ts';
import { parseSync, type SyncRunOptions } from './options.ts';
import { placeOf } from './place.ts';
import { Poster } from './poster.ts';
import type { Scene } from './scene.ts';
import { SCENES } from './scenes/scenes.ts';
import { FULL, QUICK } from './sizes.ts';
import type { Strategies } from './strategies/table.ts';
import {
  type Skipped,
  SYNC_SCHEMA_VERSION,
  type SyncResult,
  type SyncRow,
  type SyncServer,
  type SyncWarning,
} from './sync-result.ts';

const PROGRAM = 'bench:sync';

/** What is measured; tests put others in their place. */
export interface Cast {
  readonly contenders: Contenders;
  readonly strategies: Strategies;
}

/** The exit code. */
export function syncCommand(argv: readonly string[], cast: Cast): Promise<number> {
  return runCommand(PROGRAM, parseSync(argv), (options, lifetime) => run(argv, options, cast, lifetime));
}

async function run(
  argv: readonly string[],
  options: SyncRunOptions,
  cast: Cast,
  lifetime: Lifetime,
): Promise<undefined> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const placement = choosePlacement();
  const place = placeOf(options, environment);
  progress.say(placement.reason);
  const kept = `the committed result stays (${place.reasons.join(', ')}); this one goes to ${place.file}`;
  progress.say(place.reasons.length > 0 ? kept : `the result goes to ${place.file}`);
  const stale = await buildStale(programsOf({ ...cast.contenders, limits: null }, options.targets), {
    lifetime,
    build: options.build,
    say: progress.say,
  });
  const launch: Launch = { contenders: cast.contenders, placement, lifetime };
  const servers = await askServers(options.targets, launch);
  await dropUnfinished(place);
  const found = await measureAll(options, { ...cast, launch, progress, place });
  const warnings: SyncWarning[] = [
    ...doubtsAbout({ placement, environment, stale }, options.quick),
    ...found.warnings,
  ];
  const result: SyncResult = {
    schema_version: SYNC_SCHEMA_VERSION,
    created_at: new Date().toISOString(),
    took_s: (performance.now() - started) / 1000,
    flags: shownFlags(argv),
    seed: options.seed,
    quick: options.quick,
    environment,
    placement,
    servers,
    rows: found.rows,
    skipped: found.skipped,
    warnings,
  };
  await putPart('sync', result, place.file);
  await dropUnfinished(place);
  process.stdout.write(options.json ? readableJson(result) : syncTerminal(result));
  progress.say(`written: ${place.file}`);
}

/** What each says it runs with; they must promise the same. */
async function askServers(
  targets: readonly TargetName[],
  launch: Launch,
): Promise<Partial<Record<TargetName, SyncServer>>> {
  const promises = new Promises();
  const servers: Partial<Record<TargetName, SyncServer>> = {};
  for (const name of targets) {
    const host = await Host.start(name, launch);
    const health = await readHealth(host.url);
    promises.add(name, name, health);
    servers[name] = { label: launch.contenders.targets[name].label, health };
    await host.stop();
    await host.discard();
  }
  return servers;
}

interface Measuring extends Cast {
  readonly launch: Launch;
  readonly progress: ReturnType<typeof createProgress>;
  readonly place: Place;
}

async function measureAll(
  options: SyncRunOptions,
  { launch, strategies, progress, place }: Measuring,
): Promise<{ rows: SyncRow[]; skipped: Skipped[]; warnings: SyncWarning[] }> {
  const { seed, quick } = options;
  const sizes = quick ? QUICK : FULL;
  const { placement, lifetime } = launch;
  const poster = new Poster({ seed, placement, lifetime });
  const rows: SyncRow[] = [];
  const skipped: Skipped[] = [];
  const warnings: SyncWarning[] = [];
  const measureOne = async (scene: Scene, server: TargetName) => {
    const from = performance.now();
    const measuring = scene.measure(server, {
      launch,
      sizes,
      seed,
      strategies,
      poster,
      progress,
      add: (row) => void rows.push({ scene: scene.name, server, ...row }),
      skip: (reason) => {
        progress.say(`${scene.name} ${server}: skipped: ${reason}`);
        skipped.push({ scene: scene.name, server, reason });
      },
    });
    await lifetime.orInterrupted(measuring);
    progress.say(`${scene.name} ${server}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
  };
  const chosen = SCENES.filter(({ name }) => options.scenes.includes(name));
  for (const [i, scene] of chosen.entries()) {
    const before = await readMachine();
    // Each server is first in turn, so that a drift of the machine favours neither.
    for (const server of i % 2 === 0 ? options.targets : options.targets.toReversed()) {
      try {
        await measureOne(scene, server);
      } catch (error) {
        if (!(error instanceof BenchFailure)) throw error;
        throw new BenchFailure(error.code, `${scene.name}, ${server}: ${error.message}`, error.details);
      }
    }
    const own = rows.filter((row) => row.scene === scene.name);
    warnings.push(...doubtsAboutScene(scene.name, own, before, await readMachine()));
    await keepUnfinished(rows, place);
    if (i === 0) progress.say(`rows so far, should it fail: ${place.unfinished}`);
  }
  await poster.close();
  return { rows, skipped, warnings };
}
