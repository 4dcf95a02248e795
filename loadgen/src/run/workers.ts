/**
 * The processes that a run keeps from round to round: generators and auditors, one for each kind of load.
 *
 * They keep the events in memory, since creating them takes seconds. Invariants: during a measurement, only its own
 * generator is active. All processes end with the run.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../failure.ts';
import type { Driver, Generator, Job } from '../load/drivers/driver.ts';
import type { Found } from '../load/drivers/find.ts';
import { k6Driver } from '../load/drivers/k6.ts';
import { autocannonDriver, openDriver } from '../load/drivers/process-driver.ts';
import { wrkDriver } from '../load/drivers/wrk.ts';
import type { PoolSource } from '../load/pool.ts';
import type { Options } from '../plan/options.ts';
import type { Placement } from '../plan/placement.ts';
import type { Spec } from '../plan/spec.ts';
import { type Auditor, createAuditor } from '../verify/audit/auditor.ts';
import type { Contenders } from './contenders.ts';

const REQUEST_TIMEOUT_S = 30;

export interface Workers {
  driver(kind: Spec['driver']): Driver;
  generator(spec: Spec, kind?: Spec['driver']): Promise<Generator>;
  auditor(spec: Spec): Promise<Auditor>;
}

export interface WorkersOptions {
  readonly options: Options;
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
  /** The k6 that was found, or `null`. */
  readonly k6: Found | null;
  /** The wrk that was found, or `null`. */
  readonly wrk: Found | null;
}

export function createWorkers(how: WorkersOptions): Workers {
  const { placement, lifetime } = how;
  const drivers = new Map<Spec['driver'], Driver>();
  const generators = new Map<string, Promise<Generator>>();
  const auditors = new Map<string, Promise<Auditor>>();
  const ownPool = (spec: Spec) => poolOf(spec, how.options);

  function driver(kind: Spec['driver']): Driver {
    return kept(drivers, kind, () => {
      if (kind === 'autocannon')
        return autocannonDriver(placement, lifetime, how.contenders.closedLoopProgram);
      if (kind === 'wrk') {
        if (how.wrk === null) throw new BenchFailure('generator_failed', 'wrk was not found');
        return wrkDriver({ found: how.wrk, placement, lifetime });
      }
      if (kind === 'open') return openDriver(placement, lifetime);
      if (how.k6 === null) throw new BenchFailure('generator_failed', 'k6 was not found');
      return k6Driver({ found: how.k6, placement, lifetime });
    });
  }

  return {
    driver,
    generator(spec, kind = spec.driver) {
      const job = jobOf(spec, ownPool(spec));
      return kept(generators, JSON.stringify([kind, job]), () => driver(kind).prepare(job));
    },
    auditor(spec) {
      const pool = ownPool(spec);
      return kept(auditors, JSON.stringify(pool), () => createAuditor({ pool, lifetime }));
    },
  };
}

/**
 * Returns the pool of a measurement. All measurements of a run have pools of the same size, since measurements of one
 * group share processes. The audit of a process expects the sequence of one pool. A short run, such as a smoke test,
 * creates fewer events and repeats them.
 */
export function poolOf(
  { corpus, workload }: Pick<Spec, 'corpus' | 'workload'>,
  options: Options,
): PoolSource {
  const { seed, events } = options;
  const isShort = corpus === undefined && events !== undefined && events <= SHORT_RUN_EVENTS;
  return { corpus, seed, ids: workload.ids, most: isShort ? SHORT_POOL_EVENTS : MOST_POOL_EVENTS };
}

const MOST_POOL_EVENTS = 200_000;
const SHORT_RUN_EVENTS = 10_000;
/** Events of a short run's pool. Four processes and threads make them, which costs more than sending them. */
const SHORT_POOL_EVENTS = 2_000;

function jobOf(spec: Spec, pool: PoolSource): Job {
  return {
    pool,
    endpoint: spec.mode === 'single' ? 'single' : 'batch',
    batchSize: spec.workload.batch_size,
    connections: spec.workload.connections,
    timeout_s: REQUEST_TIMEOUT_S,
  };
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
