/**
 * Slow readers of the live stream: they lose nothing and hold up nobody; one that takes no byte at all is
 * closed after three heartbeats.
 */
import assert from 'node:assert/strict';
import { event } from '../src/api-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const STREAM_SLOW: ScenarioFile = {
  name: 'stream-slow',
  about: 'slow and stalled readers',
  scenarios: [
    {
      name: 'a slow reader loses nothing and holds up nobody',
      rules: ['STR-08'],
      uses: 'each',
      run: slowReader,
    },
    {
      name: 'a stalled reader is closed and frees its slot',
      rules: ['STR-08', 'STR-09'],
      uses: 'each',
      run: stalledReader,
    },
  ],
};

/** More than the buffers of both kernels and of the server hold together. */
const EVENTS = 4_000;
const PADDING = 'x'.repeat(8_000);
const BATCH = 200;

async function slowReader(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--heartbeat-ms', '5000'] });
  const client = context.client(server);
  const slow = await context.stream(server);
  const quick = await context.stream(server);
  slow.pause();
  const ids: number[] = [];
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    const events = Array.from({ length: BATCH }, () => event({ metadata: { padding: PADDING } }));
    ids.push(...(await client.ingest(events)).ids);
  }
  await quick.waitFor(() => quick.ids.length >= EVENTS, 'all events at the quick reader', 20_000);
  assert.ok(slow.ids.length < EVENTS, 'the slow reader is behind, or this shows nothing');
  slow.resume();
  await slow.waitFor(() => slow.ids.length >= EVENTS, 'all events at the slow reader', 20_000);
  assert.deepEqual(slow.ids, ids);
  assert.deepEqual(quick.ids, ids);
}

async function stalledReader(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--heartbeat-ms', '1000', '--max-stream-clients', '1'] });
  const client = context.client(server);
  const stalled = await context.stream(server);
  stalled.pause();
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    await client.ingest(Array.from({ length: BATCH }, () => event({ metadata: { padding: PADDING } })));
  }
  const clients = async (): Promise<number> =>
    (await client.get('/api/health')).json<{ sse_clients: number }>().sse_clients;
  await until(async () => (await clients()) === 0, 'the stalled reader to be closed', 20_000);
  stalled.resume();
  await stalled.waitFor(() => stalled.ended, 'the end of the stalled connection');
  assert.ok(stalled.ids.length < EVENTS, 'what did not fit was not kept for it');
  const again = await context.stream(server);
  assert.equal(again.head?.status, 200);
}
