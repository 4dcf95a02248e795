/** Measures how long other clients wait while a server works. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

/** Sends requests repeatedly, and resolves with the longest wait for an answer. */
export async function slowestLivez(client: ApiClient, isDone: () => boolean): Promise<number> {
  const { slowestMs } = await livezWaits(client, isDone);
  return slowestMs;
}

/** Waits for answers, in milliseconds. */
export interface LivezWaits {
  readonly p99: number;
  readonly slowestMs: number;
}

/** Sends a request after each pause, and resolves with the waits for the answers. */
export async function livezWaits(client: ApiClient, isDone: () => boolean, pauseMs = 0): Promise<LivezWaits> {
  const waits: number[] = [];
  while (!isDone()) {
    const begun = performance.now();
    assert.equal((await client.send('GET', '/livez', undefined, [], 60_000)).status, 200);
    waits.push(performance.now() - begun);
    if (pauseMs > 0) await pause(pauseMs);
  }
  waits.sort((one, other) => one - other);
  return { p99: waits[Math.floor(waits.length * 0.99)] ?? 0, slowestMs: waits.at(-1) ?? 0 };
}
