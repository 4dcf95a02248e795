/**
 * The ceilings of a run: each server's own SQLite driver, schema, pragmas and statements store the same rows in bulk,
 * without HTTP. Parsing is not timed.
 *
 * All measurements with the same payload, durability and group size share a ceiling. Each round measures it once, so
 * that a machine that becomes slower affects a measurement and its ceiling alike. Invariants: both programs store the
 * same file of groups, each on a fresh database, in the order A B B A. Nothing else of this program runs meanwhile. A
 * run fails unless its program exits with 0, reports its figures, and leaves a file with as many rows as reported.
 */
import { join } from 'node:path';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { summarise } from '../analyse/statistics.ts';
import { BenchFailure } from '../failure.ts';
import { requestsOf } from '../load/bodies.ts';
import { runProgram, writeBodies } from '../load/drivers/program.ts';
import { loadPool, type PoolSource } from '../load/pool.ts';
import { pinningCommand } from '../plan/placement.ts';
import { CEILING_EVENTS } from '../plan/plan.ts';
import type { Options, Spec } from '../plan/spec.ts';
import type { Ceiling, CeilingSample } from '../result/result.ts';
import type { Launch } from '../run/host.ts';
import type { Progress } from '../run/progress.ts';
import type { Measured } from '../run/round.ts';
import { poolOf } from '../run/workers.ts';

/** What the bulk inserts of one ceiling store: `events` events of the pool in each run. */
type CeilingLoad = Pick<Ceiling, 'durability' | 'group_events'> & { source: PoolSource; events: number };

export function createCeilings(launch: Launch, options: Options, progress: Progress) {
  const { targets } = options;
  const known = new Map<string, Awaited<ReturnType<typeof prepareCeiling>>>();
  const loadOf = (spec: Spec) => ({
    source: poolOf(spec, options),
    durability: spec.workload.durability,
    // The events that can wait in the server at once can be one transaction.
    group_events: spec.workload.connections * spec.workload.batch_size,
  });
  const keyOf = (spec: Spec) => JSON.stringify(loadOf(spec));

  return {
    all: (): Ceiling[] => [...known.values()].map((inserts) => inserts.ceiling()),

    /** Returns the index of the measurement's ceiling in `all`; `null` when it has none. */
    indexOf(spec: Spec): number | null {
      const index = [...known.keys()].indexOf(keyOf(spec));
      return index < 0 ? null : index;
    },

    /** Measures the ceilings of the measurements so far once. */
    async measure(measured: Measured): Promise<void> {
      if (launch.contenders.ceilings === null) return;
      for (const [spec, { size }] of measured) {
        if (!spec.ceiling) continue;
        await progress.step(`ceiling of ${spec.name}`, targets.length, async (at) => {
          const load = { ...loadOf(spec), events: Math.min(size.events!, CEILING_EVENTS) };
          const inserts = known.get(keyOf(spec)) ?? (await prepareCeiling(launch, targets, load));
          await inserts.repeat(at);
          known.set(keyOf(spec), inserts);
          return Object.entries(inserts.ceiling().servers)
            .map(([name, { events_per_s }]) => `${name} ${Math.round(events_per_s.median)} events/s`)
            .join(', ');
        });
      }
    },
  };
}

/** Writes the file of groups, which stays until the end of the lifetime. */
export async function prepareCeiling(launch: Launch, targets: readonly TargetName[], load: CeilingLoad) {
  const { source, events, group_events, durability } = load;
  const { lifetime } = launch;
  const groups = join((await lifetime.temporaryFolder()).path, 'groups.ndjson');
  const pool = await loadPool(source);
  const shape = { endpoint: 'batch', batchSize: group_events } as const;
  await writeBodies(groups, requestsOf(pool, shape, { first: 0, count: events }), lifetime.signal);
  const flags = ['--groups', groups, '--durability', durability];
  const samples: CeilingSample[] = [];
  let order = targets;
  return {
    /** Runs each program once, in the opposite order of the time before. Calls `at` with the number of programs so far. */
    async repeat(at: (done: number) => void): Promise<void> {
      for (const [index, target] of order.entries()) {
        const fresh = await lifetime.temporaryFolder();
        const database = join(fresh.path, 'events.db');
        const { duration_ms, cpu_us } = await runBulk(launch, target, database, flags, events);
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
      const payload_sha256 = pool.facts.sha256;
      return { payload_sha256, durability, group_events, samples, servers: Object.fromEntries(figures) };
    },
  };
}

/**
 * The figures that a program prints as JSON. `duration_ms` is the wall-clock time of inserts, commits and checkpoints.
 * `cpu_us` is the CPU time of all threads meanwhile.
 */
type BulkFigures = Readonly<Record<'events' | 'stored' | 'duration_ms' | 'cpu_us', number>>;

/**
 * Runs a program on a database whose file does not exist. `flags` are those in addition to `--db`. Fails unless all
 * `events` of the groups are stored.
 */
export async function runBulk(
  { contenders, placement, lifetime }: Launch,
  target: TargetName,
  database: string,
  flags: readonly string[],
  events: number,
): Promise<BulkFigures> {
  const { command, args } = contenders.ceilings![target];
  const failure = (what: string, details: readonly string[]) =>
    new BenchFailure('ceiling_failed', `the bulk insert of ${target} ${what}`, details);
  let printed = '';
  const { how, other } = await runProgram({
    command: [...pinningCommand(placement.server_cpus), command, ...args, '--db', database, ...flags],
    lifetime,
    onLine(line) {
      printed += line;
      return false;
    },
  });
  if (how !== 'code 0') throw failure(`ended with ${how} instead of code 0`, other);
  let figures: BulkFigures;
  let rows: number;
  try {
    figures = JSON.parse(printed) as BulkFigures;
    const db = new Database(database, { readonly: true, fileMustExist: true });
    rows = Number(db.prepare('SELECT count(*) FROM events_readable').pluck().get());
    db.close();
  } catch (error) {
    throw failure('did not report its figures, or left no database', [String(error), ...other]);
  }
  const { events: read, stored } = figures;
  if ([read, stored, rows].every((count) => count === events)) return figures;
  const details = `${events} were given, ${read} read, ${stored} stored, ${rows} rows found`;
  throw failure('did not store every event', [details]);
}
