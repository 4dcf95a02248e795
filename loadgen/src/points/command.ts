/**
 * The program `pnpm bench:points`: reads its flags, sees that everything it needs is there, measures, and
 * writes.
 *
 * Nothing is built here, so that a run measures what was built on purpose; a server older than its sources is
 * named in the result. What must stay true: whatever ends it, its children and folders are gone afterwards.
 */
import { resolve } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { programsOf, REAL_CONTENDERS } from '../contenders.ts';
import { findWrk } from '../drivers/wrk-find.ts';
import { readEnvironment } from '../environment.ts';
import { BenchFailure } from '../failure.ts';
import { shownFlags } from '../options/shown-flags.ts';
import { choosePlacement } from '../placement.ts';
import { createProgress } from '../progress.ts';
import { runCommand } from '../run-command.ts';
import { createLoadContext } from './load.ts';
import { type PointsOptions, parsePoints } from './options.ts';
import { pointsTable, writePoints } from './output.ts';
import { measurePoints, SEED_EVENTS } from './story.ts';

const PROGRAM = 'bench:points';

/** The exit code. */
export function pointsCommand(argv: readonly string[]): Promise<number> {
  return runCommand(PROGRAM, parsePoints(argv), (options, lifetime) => run(argv, options, lifetime));
}

async function run(argv: readonly string[], options: PointsOptions, lifetime: Lifetime): Promise<undefined> {
  if (process.platform !== 'linux')
    throw new BenchFailure('memory_unknown', 'memory is read from proc(5), which Linux alone has');
  const wrk = findWrk();
  if (wrk === null)
    throw new BenchFailure('generator_failed', 'wrk was not found: install it, or name it in $WRK_BIN');
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const placement = choosePlacement();
  progress.say(placement.reason);
  // Nothing is stored in bulk here, so the programs behind a limit need not be there.
  const contenders = { ...REAL_CONTENDERS, limits: null };
  const stale = await buildStale(programsOf(contenders, options.targets), {
    lifetime,
    build: options.build,
    say: progress.say,
  });
  for (const name of stale) progress.say(`${name} is older than its sources, and is measured as it is`);
  const most = Math.max(options.events, options.growth, SEED_EVENTS);
  const context = createLoadContext({ contenders, placement, lifetime }, wrk, progress, most);
  const points = (await measurePoints(options, context)).all();
  const out = resolve(options.out);
  await writePoints(
    {
      schema_version: 1,
      created_at: new Date().toISOString(),
      flags: shownFlags(argv),
      environment,
      placement,
      stale,
      points,
    },
    out,
  );
  process.stdout.write(pointsTable(points, options.targets));
  progress.say(`written: ${out}`);
}
