/** Measures how long other clients wait while a server works. */
import assert from 'node:assert/strict';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

/** Sends requests repeatedly, and resolves with the longest wait for an answer. */
export async function slowestLivez(client: ApiClient, isDone: () => boolean): Promise<number> {
  let slowestMs = 0;
  while (!isDone()) {
    const begun = performance.now();
    assert.equal((await client.send('GET', '/livez', undefined, [], 60_000)).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }
  return slowestMs;
}
