/**
 * Tests how long another request waits while a server refuses a malformed binary body (rule FMT-03, decision 57).
 *
 * The wait is measured as the server's processor time, because other load may delay a request too. The server handles
 * nothing else in this test. `malformed.ts` measures memory with only one request in flight.
 */
import assert from 'node:assert/strict';
import type { RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { processorMs, requireProc } from '../../src/process-figures.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { type HostileBody, hostileBodies } from './hostile-bodies.ts';
import { type Figure, LARGE_BYTES, MOST_MS, most, post, requireAnswer, TRIES } from './malformed.ts';

/** The formats of rule FMT-03. */
const FORMATS: readonly RequestFormat[] = ['msgpack', 'protobuf'];

export async function servedMeanwhile(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  const waits: Figure[] = [];
  for (const format of FORMATS) {
    for (const body of hostileBodies(format, LARGE_BYTES)) {
      const name = `${format}, ${body.name}`;
      const value = await waitOfOthers(client, server.pid, format, body);
      assert.ok(value <= MOST_MS, `${name}: another request waited ${value} ms of processor time`);
      waits.push({ name, value });
    }
  }
  context.note(`another request waited at most ${most(waits, 'ms of processor time')}`);
}

/**
 * Returns the longest wait of other requests during a body, in processor time. Returns the first of a few attempts
 * within the limit, or the smallest.
 */
async function waitOfOthers(
  client: ApiClient,
  pid: number,
  format: RequestFormat,
  body: HostileBody,
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > MOST_MS; tries++) {
    let isRefused = false;
    let longest = 0;
    const refused = post(client, format, body.bytes).finally(() => {
      isRefused = true;
    });
    while (!isRefused) {
      const begun = processorMs(pid);
      await client.get('/api/health');
      longest = Math.max(longest, processorMs(pid) - begun);
    }
    requireAnswer(format, body, await refused);
    best = Math.min(best, longest);
  }
  return best;
}
