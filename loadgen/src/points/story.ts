/**
 * The points one after the other: bytes, starts, idle memory, the seed's load, a full database, growth, reads.
 *
 * What must stay true: every value is of a fresh process on a fresh copy of a file, in the order A B B A, and
 * nothing else of this program runs meanwhile.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { launch } from '../launch.ts';
import { throughput } from '../metrics.ts';
import { roundOrder } from '../plan.ts';
import type { BaseFile } from '../preload.ts';
import { createProbe } from '../probe.ts';
import type { Sample } from '../sample.ts';
import { deployedSize } from '../size.ts';
import { measureStarts } from '../startup.ts';
import { factsOf, makeFull, makeGrown } from './files.ts';
import { type LoadContext, type Payload, peakOf, runLoad } from './load.ts';
import type { PointsOptions } from './options.ts';
import { type PointName, Points } from './point.ts';
import { measureReads } from './reads.ts';

const ASKED = { durability: 'process', max_metadata_bytes: null } as const;
/** The load of the project that this one came from. */
export const SEED_EVENTS = 20_000;

export async function measurePoints(options: PointsOptions, context: LoadContext): Promise<Points> {
  const { targets, events, growth, seconds } = options;
  const points = new Points();
  const full = await makeFull(events, targets[0]!, context);
  const facts = await factsOf(full);
  for (const name of targets) {
    const { own_bytes, with_runtime_bytes } = await deployedSize(context.launch.contenders.targets[name]);
    points.add('deployed_bytes', name, own_bytes);
    points.add('deployed_with_runtime_bytes', name, with_runtime_bytes);
    points.add('disk_bytes_beyond_metadata_per_event', name, facts.beyond_metadata_per_event);
  }
  await starts('start_empty_ms', null, options, points, context);
  await starts('start_full_ms', full, options, points, context);
  const rounds = inTurn(options);
  for (const [, name] of rounds) {
    points.add('idle_rss_empty_bytes', name, await idleRss(name, null, options, context));
    points.add('idle_rss_full_bytes', name, await idleRss(name, full, options, context));
  }
  const closed = (round: number, name: TargetName, title: string, load: Closed): Promise<Sample> =>
    runLoad(round, name, { title, ...load, rate_events_per_s: null, warmup_events: 0 }, context);
  for (const [round, name] of rounds) {
    const sample = await closed(round, name, 'seed', { payload: 'mixed', events: SEED_EVENTS, base: null });
    points.add('peak_rss_seed_bytes', name, peakOf(sample));
  }
  for (const [round, name] of rounds) {
    const sample = await closed(round, name, 'full', { payload: 'small', events, base: full });
    points.add('peak_rss_load_bytes', name, peakOf(sample));
    points.add('throughput_full_events_per_s', name, throughput(sample));
  }
  const reads = { full, commonSession: facts.common_session, seconds };
  for (const [round, name] of rounds) await measureReads(round, name, reads, points, context);
  await rm(full.file);
  const grown = await makeGrown(growth, targets[0]!, context);
  for (const [round, name] of rounds) {
    const rates = { empty: 0, grown: 0 };
    // The two side by side, and each of them first in turn, so that a drift of the machine is not growth.
    for (const which of round % 2 === 1 ? (['empty', 'grown'] as const) : (['grown', 'empty'] as const)) {
      const base = which === 'grown' ? grown : null;
      rates[which] = throughput(await closed(round, name, which, { payload: 'small', events, base }));
    }
    points.add('throughput_empty_events_per_s', name, rates.empty);
    points.add('throughput_grown_events_per_s', name, rates.grown);
    points.add('growth_ratio', name, rates.grown / rates.empty);
  }
  return points;
}

interface Closed {
  readonly payload: Payload;
  readonly events: number;
  readonly base: BaseFile | null;
}

/** Every server's rounds, numbered from 1, in the order A B B A. */
function inTurn({ targets, rounds }: PointsOptions): (readonly [number, TargetName])[] {
  return roundOrder(targets, rounds).map((name, i) => [Math.floor(i / targets.length) + 1, name] as const);
}

async function starts(
  point: PointName,
  base: BaseFile | null,
  { targets, starts: count }: PointsOptions,
  points: Points,
  { launch: how, progress }: LoadContext,
): Promise<void> {
  const preloaded = base?.file ?? null;
  const found = await measureStarts({ targets, launch: how, asked: ASKED, count, progress, preloaded });
  for (const [name, times] of found.times) points.add(point, name, ...times);
}

/** Bytes that a server holds which nobody has asked anything since it was ready. */
async function idleRss(
  name: TargetName,
  base: BaseFile | null,
  { idle_seconds }: PointsOptions,
  context: LoadContext,
): Promise<number> {
  const { lifetime } = context.launch;
  const launched = await launch(name, context.launch, ASKED, base?.file);
  await lifetime.orInterrupted(sleep(idle_seconds * 1000));
  const { rss_bytes } = await createProbe()(launched.server.pid);
  if (rss_bytes === null)
    throw new BenchFailure('memory_unknown', `${name}: the system does not tell its memory`);
  await launched.stop();
  await launched.discard();
  return rss_bytes;
}
