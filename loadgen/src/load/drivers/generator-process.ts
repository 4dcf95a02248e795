/**
 * The generator's process: it creates the events once, then carries out one order at a time.
 *
 * Invariants: during an order it only builds bodies, sends and counts. The reported CPU time
 * is that of the whole process from the beginning to the end of the order.
 */
import { serve } from '../../run/serve.ts';
import { loadPool, type Pool, type PoolFacts } from '../pool.ts';
import type { Job, Order, Sent } from './driver.ts';
import { type Requests, requestsOf } from './requests.ts';
import { Tally } from './tally.ts';

export type Command =
  | { readonly kind: 'prepare'; readonly job: Job }
  | { readonly kind: 'send'; readonly order: Order };

export type Reply =
  | { readonly kind: 'prepared'; readonly pool: PoolFacts }
  | { readonly kind: 'sent'; readonly sent: Sent };

export interface Load {
  readonly job: Job;
  readonly order: Order;
  /** Requests to send; at least one. */
  readonly requests: Requests;
  readonly tally: Tally;
}

/** Sends all requests of a load, and returns the number of requests without an answer. */
export type Send = (load: Load) => Promise<number>;

/** Carries out the parent's commands until the parent has ended. */
export function serveGenerator(send: Send): void {
  let prepared: { readonly job: Job; readonly pool: Pool };
  serve<Command, Reply>(async (command) => {
    if (command.kind === 'prepare') {
      const { job } = command;
      prepared = { job, pool: await loadPool(job.pool) };
      return { kind: 'prepared', pool: prepared.pool.facts };
    }
    const { job, pool } = prepared;
    const { order } = command;
    const load = { job, order, requests: requestsOf(pool, job, order.range), tally: new Tally() };
    return { kind: 'sent', sent: await carryOut(load, send) };
  });
}

async function carryOut(load: Load, send: Send): Promise<Sent> {
  const cpu = process.cpuUsage();
  const errors = load.requests.count === 0 ? 0 : await send(load);
  const used = process.cpuUsage(cpu);
  return load.tally.result({ errors, generator_cpu_us: used.user + used.system });
}
