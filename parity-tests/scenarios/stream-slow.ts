/**
 * Tests slow readers of the live stream: they lose nothing and delay no other client. A reader that takes no bytes is
 * disconnected after three heartbeats.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const STREAM_SLOW: ScenarioFile = {
  name: 'stream-slow',
  about: 'slow and stalled readers',
  scenarios: [
    {
      name: 'a slow reader loses nothing and delays no other client',
      rules: ['STR-08'],
      uses: 'each',
      faults: ['F17'],
      run: slowReader,
    },
    {
      name: 'a stalled reader is disconnected and frees its place',
      rules: ['STR-08', 'STR-09'],
      uses: 'each',
      waits: true,
      faults: ['F17'],
      run: stalledReader,
    },
    {
      name: 'dozens of stalled readers leave a bounded number of bytes in the kernel and lose nothing',
      rules: ['STR-08'],
      uses: 'each',
      faults: ['F17'],
      run: stalledReaders,
    },
  ],
};

/** More events than the buffers of both kernels and of the server hold. */
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

const STALLED = 48;
/** Number of readers that resume later. Each keeps a copy of everything. */
const RESUMED = 3;
/** More events than the largest send buffer of one connection holds. */
const KERNEL_EVENTS = 800;
/** Largest number of bytes in the kernel. One write may exceed the share of a stream. */
const MOST_KERNEL_BYTES = 1.25 * TUNING.stream_kernel_bytes;

async function stalledReaders(context: ScenarioContext): Promise<void> {
  if (!existsSync('/proc/net/tcp')) context.skip('no /proc/net/tcp here');
  const server = await context.start();
  const client = context.client(server);
  const quick = await context.stream(server);
  const stalled = await Promise.all(Array.from({ length: STALLED }, () => context.stream(server)));
  for (const stream of stalled) stream.pause();
  const ids: number[] = [];
  let most = 0;
  for (let sent = 0; sent < KERNEL_EVENTS; sent += BATCH / 4) {
    const events = Array.from({ length: BATCH / 4 }, () => event({ metadata: { padding: PADDING } }));
    ids.push(...(await client.ingest(events)).ids);
    await quick.waitFor(() => quick.ids.length === ids.length, 'all events at the quick reader', 20_000);
    most = Math.max(most, sendQueueBytes(server.port));
  }
  context.note(`${Math.round(most / 1e6)} MB in send queues`);
  assert.ok(most < MOST_KERNEL_BYTES, `the kernel held ${Math.round(most / 1e6)} MB`);
  for (const stream of stalled.slice(0, RESUMED)) {
    stream.resume();
    await stream.waitFor(() => stream.ids.length >= KERNEL_EVENTS, 'all events at a stalled reader', 20_000);
    assert.deepEqual(stream.ids, ids);
  }
}

/** Returns the kernel's buffered bytes for clients of this port: the column `tx_queue` of `/proc/net/tcp`. */
function sendQueueBytes(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1, -1);
  const columns = rows.map((row) => row.trim().split(/ +/)).filter((row) => row[1]!.endsWith(local));
  return columns.reduce((sum, row) => sum + Number.parseInt(row[4]!, 16), 0);
}
