/**
 * Reads everything that a client can read from a database, as texts by path. A restart or a swap of servers must not
 * change it.
 */
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

const PATHS = [
  '/api/events?limit=1000&order=asc',
  '/api/sessions?limit=1000',
  '/api/stats',
  '/api/stats/tools',
  '/api/stats/cost',
  '/api/filter-options',
];

/** Returns the bodies of all lists, and the epoch. */
export async function snapshot(client: ApiClient): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const path of PATHS) {
    const reply = await client.get(path);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    texts[path] = reply.text;
  }
  texts.epoch = (await client.get('/api/health')).json<{ epoch: string }>().epoch;
  return texts;
}
