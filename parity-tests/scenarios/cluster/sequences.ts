/** Tests clients that move between the servers of a stream: they read what they wrote, or learn that they cannot yet. */
import assert from 'node:assert/strict';
import { event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { clusterOf, Nats, startNode, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';
import { TcpRelay } from '../../src/tcp-relay.ts';

/** The reads that take a sequence. */
const READS = [
  '/api/events?',
  '/api/sessions?',
  '/api/sessions/s?',
  '/api/stats?',
  '/api/stats/tools?',
  '/api/stats/cost?',
  '/api/series?',
  '/api/filter-options?',
  '/api/snapshot/events?',
  '/api/snapshot/session:s?',
] as const;

const WRITES = 20;

function headerOf({ headers }: Pick<Reply, 'headers'>, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** A client writes on one server and reads on the other, which is held back at the end. */
export async function readOwnWrites(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.other, 'first');
  const relay = await TcpRelay.start(context, nats.port);
  const second = await startNode(context, nats, context.target, 'second', relay.port);
  const [one, two] = [context.client(first), context.client(second)];
  for (let write = 0; write < WRITES; write++) {
    const { ids } = await one.ingest([event({ session_id: 's' })]);
    const reply = await two.get(`/api/events/${ids[0]}?min_seq=${ids[0]}`);
    assert.equal(reply.status, 200, `write ${write}`);
    assert.equal(headerOf(reply, 'cluster-stale'), undefined);
  }
  relay.hold();
  const { ids } = await one.ingest([event({ session_id: 's' })]);
  const [sequence] = ids;
  for (const path of READS.slice(0, 2)) {
    const begun = Date.now();
    const reply = await two.get(`${path}min_seq=${sequence}`);
    assert.deepEqual([reply.status, reply.json<{ code: string }>().code], [503, 'cluster_behind'], path);
    assert.equal(headerOf(reply, 'retry-after'), '1');
    assert.ok(Date.now() - begun >= 1900, `${path} waited ${Date.now() - begun} ms`);
  }
  // The heartbeats stop, so the server knows that its copy does not follow.
  await until(async () => (await clusterOf(two)).failure !== null, 'a failure', 20_000);
  const stale = await two.get('/api/events');
  assert.equal(headerOf(stale, 'cluster-stale'), (await clusterOf(two)).failure ?? '');
  assert.equal(stale.json<{ events: unknown[] }>().events.length, WRITES);
  const tag = headerOf(await two.get('/api/snapshot/events'), 'etag')!;
  const unchanged = await two.send('GET', '/api/snapshot/events', undefined, [['if-none-match', tag]]);
  assert.equal(unchanged.status, 304);
  assert.notEqual(headerOf(unchanged, 'cluster-stale'), undefined);
  // A cursor of the other server is ahead of this one, and is no reset.
  const moved = await context.stream(second, '', sequence);
  relay.release();
  await untilApplied(two, sequence!);
  for (const path of READS) {
    assert.equal((await two.get(`${path}min_seq=${sequence}`)).status, 200, path);
  }
  const next = (await one.ingest([event({ session_id: 's' })])).ids[0];
  await moved.waitFor(() => moved.ids.length > 0, 'an event');
  const types = moved.messages
    .filter(({ type }) => type !== 'stats')
    .map(({ type, payload }) => ({
      type,
      id: (payload as { id?: number } | undefined)?.id,
    }));
  assert.deepEqual(types, [
    { type: 'connected', id: undefined },
    { type: 'event', id: next },
  ]);
  assert.equal(headerOf(await two.get('/api/events'), 'cluster-stale'), undefined);
  // A cursor that the stream does not have is one.
  const beyond = await context.stream(second, '', 1_000_000);
  await beyond.waitFor(() => beyond.messages.some(({ type }) => type === 'reset'), 'a reset');
  await Promise.all([first.stop(), second.stop()]);
}
