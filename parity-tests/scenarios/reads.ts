/**
 * Tests the longest reads: requests that do not wait for them, and the end of reads that wait (rule GET-10).
 *
 * Two pairs of names alternate, so that every block of events has all four names and no event has the requested pair.
 * Such a read uses its whole budget (rule GET-12) and finds none.
 */
import assert from 'node:assert/strict';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { processorMs, requireProc } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const READS: ScenarioFile = {
  name: 'reads',
  about: 'the longest reads',
  scenarios: [
    {
      name: 'statistics and health do not wait for long reads',
      rules: ['GET-10'],
      uses: 'each',
      run: keptReader,
    },
    { name: 'a read whose client is gone does not run', rules: ['GET-10'], uses: 'each', run: goneClients },
  ],
};

const BATCHES = 30;
const BATCH_EVENTS = 10_000;
const LONG = '/api/events?tool_name=Bash&branch=main';
/** Many more reads than a machine has cores, but fewer than a server's connections. */
const READS_AT_ONCE = 300;

async function keptReader(context: ScenarioContext): Promise<void> {
  const server = await filled(context);
  const [longs, brief] = [await connected(context, server, READS_AT_ONCE), context.client(server)];
  await brief.get('/livez');
  let answered = 0;
  const one = async (): Promise<number> => {
    const { status } = await longs.get(LONG);
    answered++;
    return status;
  };
  const reads = Promise.allSettled(Array.from({ length: READS_AT_ONCE }, one));
  await new Promise((resolve) => setImmediate(resolve));
  for (const path of [
    '/api/stats',
    '/api/stats/tools',
    '/api/stats/cost',
    '/api/filter-options',
    '/api/health',
  ]) {
    assert.equal((await brief.get(path)).status, 200, path);
  }
  assert.ok(answered < READS_AT_ONCE / 2, `${answered} of ${READS_AT_ONCE} long reads were answered before`);
  // A slow machine may refuse some of the reads after their wait.
  for (const read of await reads) {
    assert.ok(read.status === 'fulfilled' && [200, 503].includes(read.value), JSON.stringify(read));
  }
}

/** The test compares processor times, which other programs do not change. */
async function goneClients(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await filled(context);
  const client = context.client(server);
  const begun = processorMs(server.pid);
  for (let count = 0; count < READS_AT_ONCE / 10; count++) await client.get(LONG);
  const expected = (processorMs(server.pid) - begun) * 10;
  const longs = await connected(context, server, READS_AT_ONCE);
  const reads = Promise.allSettled(Array.from({ length: READS_AT_ONCE }, () => longs.get(LONG)));
  await new Promise((resolve) => setImmediate(resolve));
  // The answer to a later request shows that the server has received them.
  await client.get('/livez');
  longs.abort();
  await reads;
  const left = processorMs(server.pid);
  assert.equal((await client.get(LONG)).status, 200);
  const used = processorMs(server.pid) - left;
  assert.ok(used < expected / 4, `${used} ms; all of the reads take ${expected}`);
}

/** Starts a server with events for long reads. */
async function filled(context: ScenarioContext): Promise<RunningServer> {
  const server = await context.start();
  const client = context.client(server);
  const pairs = [
    { tool_name: 'Bash', branch: 'other' },
    { tool_name: 'Read', branch: 'main' },
  ];
  const events = Array.from({ length: BATCH_EVENTS }, (_, index) => event(pairs[index % 2]));
  for (let batch = 0; batch < BATCHES; batch++) await client.ingest(events);
  return server;
}

/** Returns a client with this many open connections. */
async function connected(context: ScenarioContext, server: RunningServer, count: number): Promise<ApiClient> {
  const client = new ApiClient(server.port);
  context.atEnd(() => client.close());
  await Promise.all(Array.from({ length: count }, () => client.get('/livez')));
  return client;
}
