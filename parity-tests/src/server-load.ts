/**
 * What work costs a server and those who ask it meanwhile: its memory, from `/proc`, and the slowest answer of `/livez`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

/** Asks again and again, and resolves with the longest wait for an answer. */
export async function slowestLivez(client: ApiClient, isDone: () => boolean): Promise<number> {
  let slowestMs = 0;
  while (!isDone()) {
    const begun = performance.now();
    assert.equal((await client.send('GET', '/livez', undefined, [], 60_000)).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }
  return slowestMs;
}

/** A line of `/proc/PID/status` in megabytes: `VmRSS` is the memory now, `VmHWM` the most so far. */
export function memoryMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Number(kilobytes?.[1]) / 1024;
}
