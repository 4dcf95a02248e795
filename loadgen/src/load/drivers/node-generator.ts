/**
 * A generator that is a Node process, autocannon in a closed loop or undici in an open loop: both of its sides.
 *
 * The process creates the events once, then carries out one order at a time. Invariants: during an order it only builds
 * bodies, sends and counts. The reported CPU time is that of the whole process from the beginning to the end of the
 * order.
 */
import AUTOCANNON from 'autocannon/package.json' with { type: 'json' };
import UNDICI from 'undici/package.json' with { type: 'json' };
import { Helper, serve } from '../../run/helper.ts';
import { type Requests, requestsOf } from '../bodies.ts';
import { loadPool, type Pool, type PoolFacts } from '../pool.ts';
import type { Driver, DriverFacts, Job, Order, Sent } from './driver.ts';
import { Tally } from './tally.ts';

type Orders = Readonly<{
  prepare(job: Job): Promise<PoolFacts>;
  send(order: Order): Promise<Sent>;
}>;

const FACTS = { latency_resolution_us: 1 } as const;

/** Returns the driver whose process runs `program`. Only tests of the harness pass another one. */
export function closedLoop(program = new URL('./autocannon-main.ts', import.meta.url)): Driver {
  const { version } = AUTOCANNON;
  return driverOf({ ...FACTS, name: 'autocannon', model: 'closed', latency_from: 'sent', version }, program);
}

/** Starts a generator whose requests are due at fixed times. */
export const prepareOpenLoop: Driver = driverOf(
  { ...FACTS, name: 'open-loop', model: 'open', latency_from: 'due', version: UNDICI.version },
  new URL('./open-process.ts', import.meta.url),
);

function driverOf(facts: DriverFacts, program: URL): Driver {
  return async (job, context) => {
    const helper = new Helper<Orders>({ ...context, name: 'the generator', program });
    return {
      facts,
      pool: await helper.ask('prepare', job),
      send: (order) => helper.ask('send', order),
      close: () => helper.close(),
    };
  };
}

export interface Load {
  readonly job: Job;
  readonly order: Order;
  /** Requests to send; at least one. */
  readonly requests: Requests;
  readonly tally: Tally;
}

/**
 * Carries out the parent's orders in the process until the parent has ended. `send` sends all requests of a load, and
 * returns the number of requests without an answer.
 */
export function serveGenerator(send: (load: Load) => Promise<number>): void {
  let prepared: { readonly job: Job; readonly pool: Pool };
  const orders: Orders = {
    async prepare(job) {
      prepared = { job, pool: await loadPool(job.pool) };
      return prepared.pool.facts;
    },
    async send(order) {
      const { job, pool } = prepared;
      const load = { job, order, requests: requestsOf(pool, job, order.range), tally: new Tally() };
      const cpu = process.cpuUsage();
      const errors = load.requests.count === 0 ? 0 : await send(load);
      const { user, system } = process.cpuUsage(cpu);
      return load.tally.result({ errors, generator_cpu_us: user + system });
    },
  };
  serve(orders);
}
