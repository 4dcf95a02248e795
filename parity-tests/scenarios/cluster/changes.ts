/** Tests deletions and retention as messages of the stream. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { attach, filesOf } from '../../src/attachment-client.ts';
import { fillEveryKind } from '../../src/every-kind.ts';
import { rowsOf } from '../../src/forward-pair.ts';
import { askNats, clusterOf, compareAnswers, Nats, STREAM, startNode, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

interface Deleted {
  readonly deleted: number;
  readonly revision: string;
}

async function remove(client: ApiClient, path: string): Promise<Deleted> {
  const reply = await client.send('DELETE', path, undefined, []);
  assert.equal(reply.status, 200, path);
  return reply.json<Deleted>();
}

/** Waits until both servers have the newest sequence of the first one, and compares them. */
async function settle(one: ApiClient, two: ApiClient): Promise<void> {
  await untilApplied(two, (await clusterOf(one)).applied);
  await compareAnswers(one, two);
  const retention = async (client: ApiClient): Promise<unknown> => {
    const { used_bytes: _, ...bounds } = (await client.get('/api/retention')).json<Record<string, unknown>>();
    return bounds;
  };
  assert.deepEqual(await retention(two), await retention(one));
}

/** Deletions on either server, a kill between, and a copy that is computed anew. */
export async function deletions(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  await fillEveryKind(one);
  const secret = 'a-secret-of-this-session';
  const { ids } = await two.ingest([
    event({ session_id: 'gone', event_id: 'x', metadata: { secret } }),
    event({ session_id: 'kept' }),
    event({ session_id: 'gone' }),
  ]);
  await settle(two, one);
  const stream = await context.stream(second);
  const session = await remove(one, '/api/sessions/gone');
  assert.equal(session.deleted, 2);
  assert.equal(Number(session.revision), (await clusterOf(one)).applied);
  assert.equal((await one.send('DELETE', '/api/sessions/gone', undefined, [])).status, 404);
  await settle(one, two);
  assert.equal((await two.get('/api/sessions/gone')).status, 404);
  // A deleted id is known for ever, and a later event begins the session anew.
  const again = await two.post('/api/events', event({ session_id: 'gone', event_id: 'x' }));
  assert.deepEqual([again.status, again.json<{ duplicates: number }>().duplicates], [200, 1]);
  const begun = (await two.ingest([event({ session_id: 'gone' })])).ids[0]!;
  await stream.waitFor(() => stream.ids.length === 1, 'the event after the deletion');
  assert.deepEqual(stream.ids, [begun]);

  const before = ids[1]!;
  const old = await remove(two, `/api/events?before=${before}`);
  assert.equal(old.deleted, 1200);
  assert.deepEqual(await remove(two, `/api/events?before=${before}`), { deleted: 0, revision: old.revision });
  await settle(two, one);
  const rows = rowsOf(context.db('second.db'));
  assert.deepEqual(
    rows.map(({ id }) => id),
    [before, begun],
  );
  const snapshot = (await one.get('/api/snapshot/events')).json<{ revision: string }>();
  assert.equal(snapshot.revision, old.revision);
  await first.kill();
  await two.ingest([event({ session_id: 'kept' })]);
  await remove(two, '/api/sessions/gone');
  const [same, fresh] = [
    await startNode(context, nats, context.other, 'first'),
    await startNode(context, nats, context.target, 'fresh'),
  ];
  for (const client of [context.client(same), context.client(fresh)]) await settle(two, client);
  assert.deepEqual(rowsOf(context.db('fresh.db')), rowsOf(context.db('second.db')));
  await Promise.all([second.stop(), same.stop(), fresh.stop()]);
}

/** A session in more blocks than a step may visit. */
export async function largeSession(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  const events = Array.from({ length: 500 }, (_, at) => event({ session_id: at === 7 ? 'kept' : 'large' }));
  const batches = 18;
  for (let batch = 0; batch < batches; batch++) await one.ingest(events);
  const before = (await clusterOf(one)).applied;
  const { deleted } = await remove(one, '/api/sessions/large');
  assert.equal(deleted, batches * 499);
  // Blocks have 256 events, and a step has 32 of them.
  assert.equal((await clusterOf(one)).applied, before + 2);
  await settle(one, two);
  const rows = rowsOf(context.db('second.db'));
  assert.deepEqual([rows.length, rows.every(({ session_id: id }) => id === 'kept')], [batches, true]);
  assert.deepEqual(rows, rowsOf(context.db('first.db')));
  await Promise.all([first.stop(), second.stop()]);
}

/** Bounds on one server, cut-offs and lost attachments on all, and bounds of a flag. */
export async function retention(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  const text = 'x'.repeat(4000);
  const fill = async (client: ApiClient): Promise<void> => {
    const events = Array.from({ length: 100 }, () => event({ metadata: { text } }));
    for (let batch = 0; batch < 15; batch++) await client.ingest(events);
  };
  await fill(one);
  assert.equal(await attach(first.port, 1, 'old', Buffer.from('old')), 201);
  await settle(one, two);
  const reply = await one.send('PUT', '/api/retention?bytes=4000000', undefined, []);
  assert.deepEqual([reply.status, reply.json<{ days: number; bytes: number }>().bytes], [200, 4_000_000]);
  const firstId = async (client: ApiClient): Promise<number> =>
    (await client.get('/api/retention')).json<{ first_event_id: number }>().first_event_id;
  const isCut = async (): Promise<boolean> => (await firstId(two)) > 1;
  await until(isCut, 'a deletion by the bound on the other server', 20_000);
  const isRemoved = (): boolean =>
    ['first.db', 'second.db'].every((db) => filesOf(context.db(db)).length === 0);
  await until(isRemoved, 'the attachment of a deleted event leaves both servers');
  await first.kill();
  // The bounds belong to the stream: the other server enforces them alone.
  const cut = await firstId(two);
  await fill(two);
  await until(async () => (await firstId(two)) > cut, 'a deletion by the other server', 20_000);
  await second.stop();
  // A flag sets a bound for all servers; a server that starts again has the bounds.
  const flags = [...nats.flags, '--retain-days', '30'];
  const flagged = await context.start({ target: context.target, db: context.db('first.db'), flags });
  const again = await startNode(context, nats, context.other, 'second');
  const clients = [context.client(flagged), context.client(again)] as const;
  for (const client of clients) {
    const has = async (): Promise<boolean> => {
      const bounds = (await client.get('/api/retention')).json<{ days: number; bytes: number }>();
      return bounds.days === 30 && bounds.bytes === 4_000_000;
    };
    await until(has, 'the bounds of the flag', 20_000);
  }
  const none = await clients[0].send('PUT', '/api/retention?bytes=0', undefined, []);
  assert.equal(none.status, 200);
  await untilApplied(clients[1], (await clusterOf(clients[0])).applied);
  // Either server may have a last cut-off under way; a server that starts without a bound has none.
  await Promise.all([flagged.stop(), again.stop()]);
  const { state } = await askNats<{ state: { last_seq: number } }>(
    nats.port,
    `$JS.API.STREAM.INFO.${STREAM}`,
  );
  const last = [
    await startNode(context, nats, context.target, 'first'),
    await startNode(context, nats, context.other, 'second'),
    await startNode(context, nats, context.other, 'fresh'),
  ];
  const [client, ...others] = last.map((server) => context.client(server));
  await untilApplied(client!, state.last_seq);
  for (const other of others) await settle(client!, other);
  assert.deepEqual(rowsOf(context.db('fresh.db')), rowsOf(context.db('first.db')));
  await Promise.all(last.map((server) => server.stop()));
}

/** Changes that no server knows, or that are broken. */
export async function unknownChanges(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const server = await startNode(context, nats, context.target, 'first');
  const client = context.client(server);
  await client.ingest([event(), event()]);
  const changes = [
    ['delete_events', '{"through":-1,"asked":true}'],
    ['delete_events', 'x'],
    ['forget_everything', '{}'],
    ['delete_session', '{"session_id":"nobody","from_block":0}'],
    ['delete_events', '{"through":1,"asked":true}'],
    ['delete_events', '{"through":9007199254740991,"asked":false}'],
  ] as const;
  for (const [change, body] of changes) {
    await askNats(nats.port, `${STREAM}.events`, body, { header: `Twin-Change: ${change}` });
  }
  await untilApplied(client, 8);
  assert.deepEqual(rowsOf(context.db('first.db')), []);
  const { revision, ids } = await client.ingest([event()]);
  assert.deepEqual([revision, ids], ['9', [9]]);
  await server.stop();
}
