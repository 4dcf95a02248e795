/**
 * One load of the points: a fresh server on a fresh copy of a database takes events and is audited, as a round
 * of the comparison is, but without a warm-up in a closed loop, since a point is of the whole load.
 *
 * What must stay true: batches of 50 over 40 connections in every load; what is in the database before is told
 * by the file, never guessed.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Crew, createCrew, MOST_POOL_EVENTS } from '../crew.ts';
import type { Wrk } from '../drivers/wrk-find.ts';
import { BenchFailure } from '../failure.ts';
import type { Launch } from '../launch.ts';
import { throughput } from '../metrics.ts';
import { parseOptions } from '../options/options.ts';
import type { BaseFile } from '../preload.ts';
import { createProbe, readTicksPerSecond } from '../probe.ts';
import type { Progress } from '../progress.ts';
import { Promises } from '../promises.ts';
import type { Reading } from '../reader/reader.ts';
import { runRound } from '../round.ts';
import type { Sample } from '../sample.ts';
import type { Spec } from '../spec.ts';

const BATCH = 50;
const CONNECTIONS = 40;

export type Payload = 'small' | 'mixed';

export interface Load {
  readonly title: string;
  readonly payload: Payload;
  readonly events: number;
  /** The database that the server gets a copy of; `null`: none. */
  readonly base: BaseFile | null;
  /** `null`: as fast as answers come. */
  readonly rate_events_per_s: number | null;
  /** Events before those that count, at the same rate. */
  readonly warmup_events: number;
  readonly reading?: Reading;
}

export interface LoadContext {
  readonly launch: Launch;
  readonly progress: Progress;
  readonly crews: Readonly<Record<Payload, Crew>>;
  readonly promises: Promises;
}

/** `events`: as many as any database of the run is made of; a pool of more would only take time to make. */
export function createLoadContext(launch: Launch, wrk: Wrk, progress: Progress, events: number): LoadContext {
  const { contenders, placement, lifetime } = launch;
  const crew = (payload: Payload) => {
    const parsed = parseOptions([`--payload=${payload}`, '--driver=wrk']);
    if (parsed.kind !== 'run') throw new RangeError(`no events of the kind ${payload}`);
    const most_pool_events = Math.min(events, MOST_POOL_EVENTS);
    const { options } = parsed;
    return createCrew({ options, contenders, placement, lifetime, k6: null, wrk, most_pool_events });
  };
  const crews = { small: crew('small'), mixed: crew('mixed') };
  return { launch, progress, crews, promises: new Promises() };
}

/** One round of the load; a failed request or a row too few or too many fails the run. */
export async function runLoad(
  round: number,
  name: TargetName,
  load: Load,
  context: LoadContext,
): Promise<Sample> {
  const { crews, promises } = context;
  const spec = specOf(load);
  const crew = crews[load.payload];
  const generator = await crew.generator(spec);
  const auditor = await crew.auditor(spec);
  const step = context.progress.begin(`${load.title} ${round} ${name}`, load.events);
  try {
    const sample = await runRound(round, name, {
      launch: context.launch,
      spec,
      events: load.events,
      rate_events_per_s: load.rate_events_per_s,
      generator,
      auditor,
      probe: createProbe(),
      ticksPerSecond: readTicksPerSecond(),
      preloaded: load.base?.file ?? null,
      reading: load.reading,
      onHealth: (label, target, health) => promises.add(label, target, health),
      onProgress: (count) => step.at(count),
    });
    step.done(`${Math.round(throughput(sample)).toLocaleString('en-US')} events/s`);
    return sample;
  } catch (error) {
    step.abandon();
    throw error;
  }
}

export function specOf(
  load: Pick<Load, 'title' | 'base' | 'rate_events_per_s' | 'warmup_events' | 'reading'>,
): Spec {
  const rate = load.rate_events_per_s;
  return {
    name: load.title,
    title: load.title,
    mode: rate === null ? 'batch' : 'open',
    // Also at a rate: what a generator takes of two cores is missing beside it.
    driver: 'wrk',
    corpus: undefined,
    workload: {
      connections: CONNECTIONS,
      batch_size: BATCH,
      events: null,
      duration_s: null,
      warmup_events: load.warmup_events,
      rounds: 1,
      durability: 'process',
      max_metadata_bytes: null,
      ids: 'random',
      preload_events: load.base?.rows ?? 0,
      stream_clients: 0,
    },
    rate: rate === null ? null : { kind: 'fixed', events_per_s: rate },
    throughput_of: null,
    reader: load.reading !== undefined,
    limit: false,
  };
}

/** Events of whole requests that come in `seconds` at the rate. */
export function eventsIn(rate_events_per_s: number, seconds: number): number {
  return Math.ceil((rate_events_per_s * seconds) / BATCH) * BATCH;
}

/** The most memory that the server ever held, in bytes. */
export function peakOf(sample: Sample): number {
  if (sample.peak_rss_bytes === null)
    throw new BenchFailure('memory_unknown', `${sample.target}: the system does not tell its memory`);
  return sample.peak_rss_bytes;
}
