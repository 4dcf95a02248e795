/**
 * The generator's process: it creates the events once, then carries out one order at a time.
 *
 * It ends with its parent. Invariants: during an order it only builds bodies, sends and counts. The reported CPU time
 * is that of the whole process from the beginning to the end of the order.
 */
import { loadPool, type Pool, type PoolFacts } from '../pool.ts';
import type { Job, Order, Sent } from './driver.ts';
import { Requests } from './requests.ts';
import { Tally } from './tally.ts';

export type Command =
  | { readonly kind: 'prepare'; readonly job: Job }
  | { readonly kind: 'send'; readonly order: Order };

export type Reply =
  | { readonly kind: 'prepared'; readonly pool: PoolFacts }
  | { readonly kind: 'progress'; readonly acknowledged: number }
  | { readonly kind: 'sent'; readonly sent: Sent }
  | { readonly kind: 'failed'; readonly message: string };

/** One order, its requests, and the tally that counts them. */
export interface Load {
  readonly job: Job;
  readonly order: Order;
  /** Requests to send; at least one. */
  readonly requests: Requests;
  readonly tally: Tally;
}

/** Sends all requests of a load. `errors` is the number of requests without an answer, including timeouts. */
export type Send = (load: Load) => Promise<{ readonly errors: number; readonly timeouts: number }>;

const PROGRESS_MS = 250;

/** Answers the parent's commands until the parent has ended. */
export function serveGenerator(send: Send): void {
  // A terminal sends Ctrl-C to the whole process group. The parent handles it and reports what happened.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(1));
  let prepared: { readonly job: Job; readonly pool: Pool } | undefined;
  process.on('message', async (message) => {
    const command = message as Command;
    try {
      if (command.kind === 'prepare') {
        const { job } = command;
        prepared = { job, pool: await loadPool(job.pool) };
        reply({ kind: 'prepared', pool: prepared.pool.facts });
      } else if (prepared === undefined) reply({ kind: 'failed', message: 'asked to send before prepare' });
      else reply({ kind: 'sent', sent: await carryOut(prepared.job, prepared.pool, command.order, send) });
    } catch (error) {
      reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
}

function reply(message: Reply): void {
  process.send!(message);
}

async function carryOut(job: Job, pool: Pool, order: Order, send: Send): Promise<Sent> {
  const requests = new Requests(pool, job, order.range);
  const tally = new Tally();
  if (requests.count === 0)
    return tally.result({ sent_event_ids: 0, errors: 0, timeouts: 0, generator_cpu_us: 0 });
  const progress = setInterval(
    () => reply({ kind: 'progress', acknowledged: tally.acknowledged }),
    PROGRESS_MS,
  );
  try {
    const cpu = process.cpuUsage();
    const failed = await send({ job, order, requests, tally });
    const used = process.cpuUsage(cpu);
    return tally.result({
      ...failed,
      sent_event_ids: requests.eventIds,
      generator_cpu_us: used.user + used.system,
    });
  } finally {
    clearInterval(progress);
  }
}
