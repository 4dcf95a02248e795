/**
 * The ceiling of a load: each server's own driver, schema, pragmas and statements store the same rows in bulk, without
 * HTTP. Parsing is not timed.
 *
 * Invariants: both programs store the same file of groups, each on a fresh database, in the order A B B A. Nothing
 * else of this program runs meanwhile.
 */
import { join } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Summary, summarise } from '../analyse/statistics.ts';
import { loadPool, type PoolSource } from '../load/pool.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import { writeGroups } from './groups.ts';
import { CEILING_PROGRAMS, type CeilingPrograms, type CeilingSample, runCeilingProgram } from './programs.ts';

/** What each server's own database code takes: parsing, checking and HTTP left out. */
export interface Ceiling {
  /** Digest of the payload it was measured with (`PoolFacts.sha256`). */
  readonly payload_sha256: string;
  readonly durability: 'process' | 'power';
  /** Events in one transaction. */
  readonly group_events: number;
  readonly samples: readonly CeilingSample[];
  readonly servers: Readonly<
    Partial<Record<TargetName, { readonly events_per_s: Summary; readonly cpu_us_per_event: Summary }>>
  >;
}

export interface CeilingOptions {
  readonly targets: readonly TargetName[];
  readonly source: PoolSource;
  /** Stored by each run. */
  readonly events: number;
  /** Events in one transaction. */
  readonly groupEvents: number;
  readonly durability: 'process' | 'power';
  readonly maxMetadataBytes: number | undefined;
  /** Runs of each program; 3 unless said otherwise. */
  readonly repeats?: number;
  /** The programs run where the servers would. */
  readonly placement: Placement;
  readonly lifetime: Lifetime;
  /** The real ones unless said otherwise. */
  readonly programs?: CeilingPrograms;
  /** After each run. */
  readonly onProgress?: (sample: CeilingSample, done: number, total: number) => void;
}

const REPEATS = 3;

export async function measureCeiling(options: CeilingOptions): Promise<Ceiling> {
  const { events, groupEvents, durability, lifetime, programs = CEILING_PROGRAMS } = options;
  const folder = await lifetime.temporaryFolder();
  const groups = join(folder.path, 'groups.ndjson');
  const pool = await loadPool(options.source);
  await writeGroups(groups, pool, events, groupEvents, lifetime.signal);
  const order = orderOf(options.targets, options.repeats ?? REPEATS);
  const samples: CeilingSample[] = [];
  for (const target of order) {
    const fresh = await lifetime.temporaryFolder();
    const sample = await runCeilingProgram(target, programs[target], {
      database: join(fresh.path, 'events.db'),
      source: { groups },
      events,
      durability,
      maxMetadataBytes: options.maxMetadataBytes,
      wrapper: pinningCommand(options.placement.server_cpus),
      lifetime,
    });
    await fresh.release();
    samples.push(sample);
    options.onProgress?.(sample, samples.length, order.length);
  }
  await folder.release();
  return {
    payload_sha256: pool.facts.sha256,
    durability,
    group_events: groupEvents,
    samples,
    servers: Object.fromEntries(options.targets.map((target) => [target, figuresOf(target, samples)])),
  };
}

/** A B B A …, so that a slow minute of the machine hits both. */
function orderOf(targets: readonly TargetName[], repeats: number): TargetName[] {
  return Array.from({ length: repeats }, (_, i) => (i % 2 === 0 ? targets : targets.toReversed())).flat();
}

function figuresOf(target: TargetName, samples: readonly CeilingSample[]) {
  const own = samples.filter((sample) => sample.target === target);
  const summary = (figure: (sample: CeilingSample) => number): Summary => {
    const found = summarise(own.map(figure));
    if (found === null) throw new RangeError('a ceiling needs at least one run');
    return found;
  };
  return {
    events_per_s: summary((sample) => sample.events / (sample.duration_ms / 1000)),
    cpu_us_per_event: summary((sample) => sample.cpu_us / sample.events),
  };
}
