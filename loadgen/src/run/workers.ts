/**
 * The processes that a run keeps from round to round: generators and auditors, one for each kind of load.
 *
 * They keep the events in memory, since creating them takes seconds. Invariants: during a measurement, only its own
 * generator is active. All processes end with the run.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Driver, DriverContext, Generator } from '../load/drivers/driver.ts';
import { k6Driver } from '../load/drivers/k6.ts';
import { closedLoop, prepareOpenLoop } from '../load/drivers/node-generator.ts';
import type { Found } from '../load/drivers/program.ts';
import { wrkDriver } from '../load/drivers/wrk.ts';
import type { PoolSource } from '../load/pool.ts';
import type { Options } from '../plan/options.ts';
import type { Spec } from '../plan/spec.ts';
import { type Auditor, createAuditor } from '../verify/audit/auditor.ts';

const REQUEST_TIMEOUT_S = 30;

export interface WorkersOptions extends DriverContext {
  readonly options: Options;
  /** Program of the closed-loop generator; `undefined`: the real one. */
  readonly closedLoopProgram: URL | undefined;
  /** Programs that were found; the plan uses no others. */
  readonly k6: Found | null;
  readonly wrk: Found | null;
}

export class Workers {
  readonly #how: WorkersOptions;
  readonly #drivers: Readonly<Record<Spec['driver'], Driver>>;
  readonly #generators = new Map<string, Promise<Generator>>();
  readonly #auditors = new Map<string, Promise<Auditor>>();

  constructor(how: WorkersOptions) {
    this.#how = how;
    this.#drivers = {
      autocannon: closedLoop(how.closedLoopProgram),
      open: prepareOpenLoop,
      wrk: (job, context) => wrkDriver(how.wrk!)(job, context),
      k6: (job, context) => k6Driver(how.k6!)(job, context),
    };
  }

  generator(spec: Spec): Promise<Generator> {
    const { batch_size, connections } = spec.workload;
    const job = {
      pool: poolOf(spec, this.#how.options),
      endpoint: spec.mode === 'single' ? 'single' : 'batch',
      batchSize: batch_size,
      connections,
      timeout_s: REQUEST_TIMEOUT_S,
    } as const;
    const key = JSON.stringify([spec.driver, job]);
    return kept(this.#generators, key, () => this.#drivers[spec.driver](job, this.#how));
  }

  /** Returns the auditor of a server. Each server has its own, so that both files are read at the same time. */
  auditor(spec: Spec, name: TargetName): Promise<Auditor> {
    const pool = poolOf(spec, this.#how.options);
    const key = JSON.stringify([name, pool]);
    return kept(this.#auditors, key, () => createAuditor(pool, this.#how.lifetime));
  }
}

/**
 * Returns the pool of a measurement. All measurements of a run have pools of the same size, since measurements of one
 * group share processes. The audit of a process expects the sequence of one pool. A short run, such as a smoke test,
 * creates fewer events and repeats them.
 */
export function poolOf({ corpus }: Pick<Spec, 'corpus'>, { seed, events }: Options): PoolSource {
  const isShort = corpus === undefined && events !== undefined && events <= SHORT_RUN_EVENTS;
  return { corpus, seed, most: isShort ? SHORT_POOL_EVENTS : MOST_POOL_EVENTS };
}

const MOST_POOL_EVENTS = 200_000;
const SHORT_RUN_EVENTS = 10_000;
/** Events of a short run's pool. Four processes and threads make them, which costs more than sending them. */
const SHORT_POOL_EVENTS = 2_000;

function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
