/**
 * Bodies that are small on the wire and large to work on: the server stays small, and answers other requests.
 * Memory is that of the server's own process, from `/proc`.
 */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { memoryMb, requireProc } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const LARGE_BODIES: ScenarioFile = {
  name: 'large-bodies',
  about: 'compressed batches of millions of items',
  scenarios: [
    {
      name: 'millions of empty items cost little memory and hold up no other request',
      rules: ['ING-09', 'BOD-05'],
      uses: 'each',
      run: emptyItems,
    },
  ],
};

const REQUESTS = 24;
/** Three bytes each, 8 MiB in all: 8 kB of gzip. */
const ITEMS = 2_700_000;
/** A multiple of what both servers need; keeping the items of one request takes more. */
const MOST_GROWN_MB = 400;
const MOST_LIVEZ_MS = 500;

async function emptyItems(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  const body = gzipSync(`{"events":[${'{},'.repeat(ITEMS - 1)}{}]}`);
  const before = memoryMb(server.pid, 'VmRSS');
  let isDone = false;
  const livez = slowestLivez(context.client(server), () => isDone);
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, () =>
      client.send('POST', '/api/events/batch', body, [['content-encoding', 'gzip']], 60_000),
    ),
  );
  isDone = true;
  const grownMb = memoryMb(server.pid, 'VmHWM') - before;
  const slowestMs = await livez;
  context.note(`${Math.round(grownMb)} MB, /livez within ${Math.round(slowestMs)} ms`);
  for (const { status, text } of replies) {
    assert.equal(status, 413, text);
    const code = '"code":"batch_too_large","limit":10000';
    assert.equal(text, `{"error":"Too many events in one batch",${code},"actual":${ITEMS}}`);
  }
  assert.ok(grownMb < MOST_GROWN_MB, `the server grew by ${Math.round(grownMb)} MB`);
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez took ${Math.round(slowestMs)} ms`);
}

/** Asks again and again, and resolves with the longest wait for an answer. */
async function slowestLivez(client: ApiClient, isDone: () => boolean): Promise<number> {
  let slowestMs = 0;
  while (!isDone()) {
    const begun = performance.now();
    assert.equal((await client.send('GET', '/livez', undefined, [], 60_000)).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }
  return slowestMs;
}
