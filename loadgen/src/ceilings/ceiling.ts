/**
 * Measures the ceiling of a load. Each server's own SQLite driver, schema, pragmas and statements store the same rows
 * in bulk, without HTTP. Parsing is not timed.
 *
 * Invariants: both programs store the same file of groups, each on a fresh database, in the order A B B A. Nothing else
 * of this program runs meanwhile.
 */
import { join } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Summary, summarise } from '../analyse/statistics.ts';
import { requestsOf } from '../load/bodies.ts';
import { writeBodies } from '../load/drivers/program.ts';
import { loadPool, type Pool, type PoolSource } from '../load/pool.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import { type BulkFigures, type CeilingPrograms, runBulk } from './programs.ts';

/** Figures of one bulk insert, and its number of events. */
export interface CeilingSample extends Pick<BulkFigures, 'events' | 'duration_ms' | 'cpu_us'> {
  readonly target: TargetName;
}

export type CeilingFigures = Readonly<Record<'events_per_s' | 'cpu_us_per_event', Summary>>;

/** Throughput and CPU time of each server's own database code, without parsing, checking and HTTP. */
export interface Ceiling {
  /** Digest of the payload that the ceiling was measured with (`PoolFacts.sha256`). */
  readonly payload_sha256: string;
  readonly durability: 'process' | 'power';
  /** Number of events in one transaction. */
  readonly group_events: number;
  readonly samples: readonly CeilingSample[];
  readonly servers: Readonly<Partial<Record<TargetName, CeilingFigures>>>;
}

export interface CeilingOptions extends Pick<Ceiling, 'durability' | 'group_events'> {
  readonly targets: readonly TargetName[];
  readonly source: PoolSource;
  /** Number of events that each run stores. */
  readonly events: number;
  /** The programs run on the cores of the servers. */
  readonly placement: Placement;
  readonly programs: CeilingPrograms;
  readonly lifetime: Lifetime;
}

/** The bulk inserts of one ceiling. */
export type BulkInserts = Awaited<ReturnType<typeof prepareCeiling>>;

/** Writes the file of groups, which stays until the end of `lifetime`. */
export async function prepareCeiling(options: CeilingOptions) {
  const { targets, events, group_events, durability, lifetime, programs } = options;
  const groups = join((await lifetime.temporaryFolder()).path, 'groups.ndjson');
  const pool = await loadPool(options.source);
  await writeGroups(groups, pool, events, group_events, lifetime.signal);
  const payload_sha256 = pool.facts.sha256;
  const wrapper = pinningCommand(options.placement.server_cpus);
  const flags = ['--groups', groups, '--durability', durability];
  const samples: CeilingSample[] = [];
  let order = targets;
  return {
    /** Runs each program once, in the opposite order of the time before. Calls `at` with the number of programs so far. */
    async repeat(at: (done: number) => void): Promise<void> {
      for (const [index, target] of order.entries()) {
        const fresh = await lifetime.temporaryFolder();
        const run = { database: join(fresh.path, 'events.db'), flags, events, wrapper, lifetime };
        const { duration_ms, cpu_us } = await runBulk(target, programs[target], run);
        await fresh.release();
        samples.push({ target, events, duration_ms, cpu_us });
        at(index + 1);
      }
      order = order.toReversed();
    },
    /** Returns the figures of all inserts so far, at least one of each program. */
    ceiling(): Ceiling {
      const figures = targets.map((name) => {
        const own = samples.filter(({ target }) => target === name);
        const rates = own.map(({ duration_ms }) => events / (duration_ms / 1000));
        const costs = own.map(({ cpu_us }) => cpu_us / events);
        return [name, { events_per_s: summarise(rates)!, cpu_us_per_event: summarise(costs)! }];
      });
      return { payload_sha256, durability, group_events, samples, servers: Object.fromEntries(figures) };
    },
  };
}

/** Writes the first `events` events of the pool's sequence as batch bodies, one a line with `groupEvents` events. */
export async function writeGroups(
  file: string,
  pool: Pool,
  events: number,
  groupEvents: number,
  signal: AbortSignal,
): Promise<void> {
  const shape = { endpoint: 'batch', batchSize: groupEvents } as const;
  await writeBodies(file, requestsOf(pool, shape, { first: 0, count: events }), signal);
}
