/** The smallest exchange, `GET /livez`: shows the machine's share of a longer exchange. */

import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { Connections } from './connections.ts';

/** Returns the duration of each exchange in milliseconds, one after the other over one plain socket. */
export async function smallestExchanges(url: string, count: number): Promise<number[]> {
  const connections = new Connections(url, 1);
  const taken: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const from_ms = nowMs();
      const { status } = await connections.get('/livez');
      taken.push(nowMs() - from_ms);
      if (status !== 200) throw new BenchFailure('server_failed', `GET /livez answered ${status}`);
    }
  } finally {
    connections.close();
  }
  return taken;
}
