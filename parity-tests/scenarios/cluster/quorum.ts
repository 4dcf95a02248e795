/** Tests servers whose stream has three nodes of NATS, with and without a majority of them. */
import assert from 'node:assert/strict';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { NatsCluster } from '@twin-ingest/testkit/nats/cluster.ts';
import type { NatsNode } from '@twin-ingest/testkit/nats/node.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { attach, readAttachment, sha256 } from '../../src/attachment-client.ts';
import { askNats, compareAnswers, programOf, STREAM, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

/** An election takes some seconds, and more on a busy machine. Another one may follow. */
const ELECTION_MS = 60_000;

/** Two of three nodes are killed and start again; then the leader alone is killed. */
export async function quorumLost(context: ScenarioContext): Promise<void> {
  const nats = await NatsCluster.onLoopback(await programOf(context), context.folder);
  context.atEnd(() => nats.kill());
  await nats.start();
  const servers = [await start(context.target, 0), await start(context.other, 1)] as const;
  const [one, two] = servers.map((server) => context.client(server)) as [ApiClient, ApiClient];
  const info = await askNats<{ config: { num_replicas: number } }>(
    nats.nodes[0]!.place.port,
    `$JS.API.STREAM.INFO.${STREAM}`,
  );
  assert.equal(info.config.num_replicas, 3);
  await storedOnce(one, 'a');
  await untilApplied(two, 1);
  await untilAttached(servers[0].port, 'a');
  const bucket = await askNats<{ config: { num_replicas: number } }>(
    nats.nodes[0]!.place.port,
    `$JS.API.STREAM.INFO.OBJ_${STREAM}`,
  );
  assert.equal(bucket.config.num_replicas, 3);

  await Promise.all(nats.nodes.slice(1).map((node) => node.kill()));
  for (const [index, client] of [one, two].entries()) {
    const refused = await client.post('/api/events', event({ event_id: `b${index}` }));
    assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [503, 'cluster_unavailable']);
    assert.ok(refused.headers.some(([name, value]) => name.toLowerCase() === 'retry-after' && value === '1'));
    const page = (await client.get('/api/events')).json<{ events: unknown[] }>();
    assert.equal(page.events.length, 1);
    assert.equal(await attach(servers[index]!.port, 1, 'b', Buffer.from('b')), 503);
  }
  await Promise.all(nats.nodes.slice(1).map((node) => node.start()));
  await storedOnce(one, 'b0');
  await storedOnce(two, 'b1');

  await (await nats.untilLed(STREAM)).kill();
  await storedOnce(one, 'c0');
  await storedOnce(two, 'c1');
  for (const { port } of servers) {
    await untilAttached(port, 'b');
    assert.deepEqual(await readAttachment(port, sha256(Buffer.from('b'))), Buffer.from('b'));
  }
  await untilSame(one, two);
  await compareAnswers(one, two);
  assert.equal((await one.get('/api/stats')).json<{ total_events: number }>().total_events, 5);

  function start(target: TargetName, node: number): Promise<RunningServer> {
    const flags = [
      '--store',
      'jetstream',
      '--nats',
      nats.nodes[node]!.url,
      '--stream',
      STREAM,
      '--discard-large-metadata',
    ];
    return context.start({ target, db: context.db(`${target}.db`), flags });
  }
}

/** An id that no event of the scenario has. */
const UNKNOWN = 1000;

/**
 * The leader of the stream is alone, which it does not learn for ten seconds. Others may have stored an event meanwhile.
 */
export async function cutOffLeader(context: ScenarioContext): Promise<void> {
  const nats = await NatsCluster.onLoopback(await programOf(context), context.folder);
  context.atEnd(() => nats.kill());
  await nats.start();
  const first = await start(context.other, nats.nodes[0]!);
  await storedOnce(context.client(first), 'a');
  const leader = await nats.untilLed(STREAM);
  const server = await start(context.target, leader);
  const client = context.client(server);
  await untilApplied(client, 1);
  const others = nats.nodes.filter((node) => node !== leader);
  for (const node of others) node.pause();
  const [status, code] = await attachUnknown(client);
  const stream = await context.stream(server, '', UNKNOWN);
  await stream.waitFor(() => stream.messages.some(({ type }) => type === 'stats'), 'statistics');
  for (const node of others) node.resume();
  assert.deepEqual([status, code], [503, 'cluster_behind']);
  assert.equal(stream.messages[0]!.type, 'connected');
  assert.ok(stream.messages.every(({ type }) => type !== 'reset'));
  await until(async () => (await attachUnknown(client))[0] === 404, 'an unknown event', ELECTION_MS);
  const later = await context.stream(server, '', UNKNOWN);
  await later.waitFor(() => later.messages.some(({ type }) => type === 'reset'), 'a reset');

  function start(target: TargetName, { url }: NatsNode): Promise<RunningServer> {
    const flags = ['--store', 'jetstream', '--nats', url, '--stream', STREAM, '--discard-large-metadata'];
    return context.start({ target, db: context.db(`${target}.db`), flags });
  }
}

/** Sends an attachment of an event that no server has; returns the status and the code. */
async function attachUnknown(client: ApiClient): Promise<readonly [number, string]> {
  const path = `/api/events/${UNKNOWN}/attachments/a`;
  const reply = await client.send('PUT', path, Buffer.from('a'), [['content-type', 'text/plain']]);
  return [reply.status, reply.json<{ code: string }>().code];
}

/**
 * Repeats an event until the server answers that it has it. The statistics at the end show whether it was stored twice.
 */
async function storedOnce(client: ApiClient, id: string): Promise<void> {
  const send = async (): Promise<number> =>
    (await client.post('/api/events', event({ event_id: id }))).status;
  await until(async () => (await send()) === 200, `the event ${id}`, ELECTION_MS);
}

/** Repeats an attachment of the first event until the server has it. */
async function untilAttached(port: number, content: string): Promise<void> {
  const send = async (): Promise<number> => (await attach(port, 1, content, Buffer.from(content))) ?? 500;
  await until(async () => (await send()) < 300, `the attachment ${content}`, ELECTION_MS);
}

/** Waits until two copies have the same newest event. */
async function untilSame(one: ApiClient, two: ApiClient): Promise<void> {
  const newest = async (client: ApiClient): Promise<string> => (await client.get('/api/events?limit=1')).text;
  await until(async () => (await newest(one)) === (await newest(two)), 'equal copies', ELECTION_MS);
}
