/**
 * The process that measures starts: it starts a server, polls until it is ready, and ends it.
 *
 * The process is small, since a large process takes tens of milliseconds to start another. Invariants: it loads only
 * what it needs. A server does not outlive it.
 */
import { get } from 'node:http';
import { startOrFail } from '../failure.ts';
import { serve } from './helper.ts';

const DEADLINE_MS = 15_000;

/** Starts a server, and returns the milliseconds until it was ready. */
async function start(...how: Parameters<typeof startOrFail>): Promise<number> {
  const server = await startOrFail(...how);
  while (!(await isReady(server.url)))
    if (performance.now() - server.spawned_at_ms > DEADLINE_MS)
      throw new Error(`not ready within ${DEADLINE_MS} ms`);
  const taken_ms = performance.now() - server.spawned_at_ms;
  await server.stop();
  return taken_ms;
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

const orders = { start };
export type StartOrders = typeof orders;
serve(orders);
