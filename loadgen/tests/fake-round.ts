/** A fake server that receives a range of events, for the tests of the checks after a round. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { batchBody, type Range } from '../src/load/bodies.ts';
import type { Pool, PoolSource } from '../src/load/pool.ts';

const PROGRAM = fileURLToPath(new URL('./fake-server.ts', import.meta.url));
const BATCH_EVENTS = 250;

/** A pool of generated events that is smaller than a few thousand events, so that it is sent more than once. */
export const SMALL_POOL: PoolSource = { corpus: undefined, seed: 1, most: 1500, ids: 'random' };

export interface FakeRound {
  readonly url: string;
  readonly file: string;
  /** Sends the events of the range in order, and returns the number of acknowledged events. */
  send(pool: Pool, range: Range): Promise<number>;
  stop(): Promise<unknown>;
}

export async function startFake(folder: string, fault = 'none'): Promise<FakeRound> {
  const file = join(mkdtempSync(join(folder, 'fake-')), 'events.db');
  const wrapper = [process.execPath, PROGRAM, `--fault=${fault}`];
  const server = await startServer('ts', { flags: ['--db', file], wrapper });
  return {
    url: server.url,
    file,
    async send(pool, range) {
      let acknowledged = 0;
      for (let first = range.first; first < range.first + range.count; first += BATCH_EVENTS) {
        const count = Math.min(BATCH_EVENTS, range.first + range.count - first);
        const body = batchBody(pool, { first, count });
        const answer = await fetch(`${server.url}/api/events/batch`, { method: 'POST', body });
        acknowledged += ((await answer.json()) as { readonly received: number }).received;
      }
      return acknowledged;
    },
    stop: () => server.stop(),
  };
}
