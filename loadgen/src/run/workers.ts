/**
 * The processes that a run keeps from round to round: generators and auditors, one for each kind of load.
 *
 * They keep the events in memory, since creating them takes seconds. Invariants: during a measurement, only its own
 * generator is active. All processes end with the run.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Driver, Generator } from '../load/drivers/driver.ts';
import { k6Driver } from '../load/drivers/k6.ts';
import { closedLoop, prepareOpenLoop } from '../load/drivers/node-generator.ts';
import type { FoundTools } from '../load/drivers/program.ts';
import { wrkDriver } from '../load/drivers/wrk.ts';
import type { PoolSource } from '../load/pool.ts';
import type { Options, Spec } from '../plan/spec.ts';
import { type Auditor, createAuditor } from '../verify/audit/auditor.ts';
import type { Launch } from './host.ts';

const REQUEST_TIMEOUT_S = 30;

export type Workers = ReturnType<typeof createWorkers>;

/** `tools` are the programs that were found. The plan uses no others. */
export function createWorkers(launch: Launch, options: Options, tools: FoundTools) {
  const drivers: Readonly<Record<Spec['driver'], Driver>> = {
    autocannon: closedLoop(launch.contenders.closedLoopProgram),
    open: prepareOpenLoop,
    wrk: (job, context) => wrkDriver(tools.wrk!)(job, context),
    k6: (job, context) => k6Driver(tools.k6!)(job, context),
  };
  const generators = new Map<string, Promise<Generator>>();
  const auditors = new Map<string, Promise<Auditor>>();
  return {
    generator(spec: Spec): Promise<Generator> {
      const job = {
        pool: poolOf(spec, options),
        endpoint: spec.mode === 'single' ? 'single' : 'batch',
        batchSize: spec.workload.batch_size,
        connections: spec.workload.connections,
        timeout_s: REQUEST_TIMEOUT_S,
      } as const;
      const key = JSON.stringify([spec.driver, job]);
      return kept(generators, key, () => drivers[spec.driver](job, launch));
    },

    /** Returns the auditor of a server. Each server has its own, so that both files are read at the same time. */
    auditor(spec: Spec, name: TargetName): Promise<Auditor> {
      const pool = poolOf(spec, options);
      const isPriced = spec.servers !== 'plain' && launch.contenders.targets[name].hasNoPrices !== true;
      const key = JSON.stringify([name, pool, isPriced]);
      return kept(auditors, key, () => createAuditor(pool, isPriced, launch.lifetime));
    },
  };
}

function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const POOL_EVENTS = 200_000;
const SHORT_RUN_EVENTS = 10_000;
/** Events of a short run's pool. Four processes and threads make them, which costs more than sending them. */
const SHORT_POOL_EVENTS = 2_000;

/**
 * Returns the pool of a measurement. All measurements of a run have pools of the same size, since measurements of one
 * group share processes. The audit of a process expects the sequence of one pool. A short run, such as a smoke test,
 * creates fewer events and repeats them.
 */
export function poolOf({ corpus }: Pick<Spec, 'corpus'>, { seed, events }: Options): PoolSource {
  const isShort = corpus === undefined && events !== undefined && events <= SHORT_RUN_EVENTS;
  return { corpus, seed, most: isShort ? SHORT_POOL_EVENTS : POOL_EVENTS };
}
