/**
 * What the generator's process does: makes the events once, then sends ranges of them through autocannon.
 *
 * autocannon keeps latencies in whole milliseconds and corrects for coordinated omission as if every rate
 * were one request a millisecond, so neither is used: each answer is timed here, to the microsecond, and no
 * rate is set, which makes it a closed loop. What must stay true: nothing but building bodies, sending and
 * counting happens while a measurement runs.
 */
import autocannon from 'autocannon';
import { batchBody, countWithId, type Range } from '../bodies.ts';
import { loadPool, type Pool, type PoolFacts } from '../pool.ts';
import type { Job, Sent } from './driver.ts';
import { Tally } from './tally.ts';

export type Command =
  | { readonly kind: 'prepare'; readonly job: Job }
  | { readonly kind: 'send'; readonly url: string; readonly range: Range };

export type Reply =
  | { readonly kind: 'prepared'; readonly pool: PoolFacts }
  | { readonly kind: 'progress'; readonly acknowledged: number }
  | { readonly kind: 'sent'; readonly sent: Sent }
  | { readonly kind: 'failed'; readonly message: string };

const PROGRESS_MS = 250;

/** autocannon ends at a tick of this after the last answer; the duration is taken from the answers. */
const TICK_MS = 50;

/** Answers the parent's commands, one at a time. */
export function serveCommands(): void {
  let prepared: { readonly job: Job; readonly pool: Pool } | undefined;
  process.on('message', async (message) => {
    const command = message as Command;
    try {
      if (command.kind === 'prepare') {
        const pool = await loadPool(command.job.pool);
        prepared = { job: command.job, pool };
        reply({ kind: 'prepared', pool: pool.facts });
      } else if (prepared === undefined) reply({ kind: 'failed', message: 'asked to send before prepare' });
      else reply({ kind: 'sent', sent: await send(prepared.job, prepared.pool, command) });
    } catch (error) {
      reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
}

function reply(message: Reply): void {
  process.send!(message);
}

async function send(job: Job, pool: Pool, command: { url: string; range: Range }): Promise<Sent> {
  const { range } = command;
  const requests = Math.ceil(range.count / job.batchSize);
  const tally = new Tally(requests);
  if (requests === 0) return tally.result({ sent_event_ids: 0, errors: 0, timeouts: 0, generator_cpu_us: 0 });
  const progress = setInterval(
    () => reply({ kind: 'progress', acknowledged: tally.acknowledged }),
    PROGRESS_MS,
  );
  let next = 0;
  const cpu = process.cpuUsage();
  try {
    const result = await autocannon({
      url: command.url,
      // More connections than requests would leave some without any; a short warm-up has few requests.
      connections: Math.min(job.connections, requests),
      amount: requests,
      timeout: job.timeout_s,
      sampleInt: TICK_MS,
      requests: [
        {
          method: 'POST',
          path: '/api/events/batch',
          headers: { 'content-type': 'application/json' },
          // Called once for every request, just before it is written.
          setupRequest(request, context) {
            const first = range.first + next * job.batchSize;
            const count = Math.min(job.batchSize, range.first + range.count - first);
            next++;
            request.body = batchBody(pool, { first, count });
            (context as Timed).sentAt = tally.sent(count, request.body.length);
            return request;
          },
          onResponse(status, body, context) {
            tally.answered(status, body, (context as Timed).sentAt);
          },
        },
      ],
    });
    const used = process.cpuUsage(cpu);
    return tally.result({
      sent_event_ids: countWithId(pool, range),
      errors: result.errors,
      timeouts: result.timeouts,
      generator_cpu_us: used.user + used.system,
    });
  } finally {
    clearInterval(progress);
  }
}

/** autocannon's context of one connection, which has one request at a time. */
interface Timed {
  sentAt: number;
}
