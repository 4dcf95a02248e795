/** Tests a cluster with kills of its servers, without NATS, and with another stream. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { checkLog } from '../../src/check-log.ts';
import { DeliveryLog } from '../../src/delivery-log.ts';
import { startLoad } from '../../src/load.ts';
import { askNats, clusterOf, compareAnswers, Nats, STREAM, startNode, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const KILLS = 3;

/** One server is killed under load, and both have every acknowledged event once. */
export async function killedUnderLoad(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const nats = await Nats.start(context);
  const logFile = context.db('log.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const second = await startNode(context, nats, context.other, 'second');
  const counter = { next: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    const target = kill % 2 === 0 ? context.target : context.other;
    const first = await startNode(context, nats, target, 'first');
    const load = startLoad({ port: first.port, log, senders: 2, batch: 20, prefix: 'n' }, counter);
    await until(() => load.acknowledged.length >= 10, 'ten acknowledged batches');
    await pause(random.below(300));
    await first.kill();
    await load.stop();
  }
  const first = await startNode(context, nats, context.target, 'first');
  const [one, two] = [context.client(first), context.client(second)];
  const { ids } = await two.ingest([event()]);
  await untilApplied(one, ids[0]!);
  await compareAnswers(one, two);
  const { acknowledged, lost, double, integrity } = checkLog(logFile, context.db('first.db'));
  // A batch is no transaction of the stream, so a kill may store a part of it.
  assert.deepEqual({ lost, double, integrity }, { lost: [], double: [], integrity: 'ok' });
  assert.ok(acknowledged > 0);
  context.note(`${context.target}: ${KILLS} kills, ${acknowledged} acknowledged events, each once`);
  await Promise.all([first.stop(), second.stop()]);
}

/** NATS ends, and starts again. */
export async function natsAway(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  let server = await startNode(context, nats, context.target, 'first');
  let client = context.client(server);
  await client.ingest([event()]);
  await nats.stop();
  await until(async () => !(await clusterOf(client)).connected, 'the lost connection');
  const refused = await client.post('/api/events', event({ event_id: 'x' }));
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [503, 'cluster_unavailable']);
  assert.ok(refused.headers.some(([name, value]) => name.toLowerCase() === 'retry-after' && value === '1'));
  assert.equal((await client.get('/api/events')).json<{ events: unknown[] }>().events.length, 1);
  await until(async () => (await clusterOf(client)).failure === 'unreachable', 'a failure');
  // A server with a copy starts without NATS.
  await server.stop();
  server = await startNode(context, nats, context.target, 'first');
  client = context.client(server);
  assert.equal((await client.get('/api/events')).json<{ events: unknown[] }>().events.length, 1);
  assert.equal((await client.post('/api/events', event())).status, 503);
  await nats.run();
  // An answer may be lost although the event is stored.
  const isKnown = async (): Promise<boolean> =>
    (await client.post('/api/events', event({ event_id: 'x' }))).status < 300;
  await until(isKnown, 'an answer');
  assert.equal((await client.post('/api/events', event({ event_id: 'x' }))).status, 200);
  assert.deepEqual((await clusterOf(client)).failure, null);
  await server.stop();
}

/** The stream is deleted and created again while a server runs. */
export async function anotherStream(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const server = await startNode(context, nats, context.target, 'first');
  const client = context.client(server);
  await client.ingest([event(), event()]);
  await askNats(nats.port, `$JS.API.STREAM.DELETE.${STREAM}`);
  const stream = { name: STREAM, subjects: [`${STREAM}.events`], num_replicas: 1 };
  await askNats(nats.port, `$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(stream));
  assert.equal((await client.post('/api/events', event())).status, 503);
  await until(async () => (await clusterOf(client)).failure === 'another_stream', 'a failure');
  assert.equal((await client.post('/api/events', event())).status, 503);
  assert.equal((await client.get('/api/events')).json<{ events: unknown[] }>().events.length, 2);
  await server.stop();
}
