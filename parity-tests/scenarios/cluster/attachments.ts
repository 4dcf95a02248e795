/** Tests attachments of a stream: their bytes on every copy, their deletion, and faults between. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import {
  attach,
  brokenFilesOf,
  exchange,
  filesOf,
  readAttachment,
  requireAll,
  sha256,
  uploadUntilDead,
} from '../../src/attachment-client.ts';
import { askNats, clusterOf, Nats, STREAM, startNode, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const MOST_BYTES = 1_500_000;
const BLOCK = LIMITS.attachment_block_bytes;
/** The blocks of the largest attachment. */
const MOST_BLOCKS = Math.ceil(MOST_BYTES / BLOCK);
/** Room for the largest attachment, for its repetition, and for a small one. */
const ROOM = (2 * MOST_BLOCKS + 1) * BLOCK;

async function listOf(client: ApiClient, id: number): Promise<string> {
  return (await client.get(`/api/events/${id}/attachments`)).text;
}

/** Uploads on either server, reads on the other one, a copy from nothing, and NATS away. */
export async function sharedAttachments(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const start = (target: TargetName, name: string): Promise<RunningServer> => {
    const flags = [
      ...nats.flags,
      '--max-attachment-bytes',
      String(MOST_BYTES),
      '--attachments-bytes',
      String(ROOM),
    ];
    return context.start({ target, db: context.db(`${name}.db`), flags });
  };
  const [first, second] = [await start(context.target, 'first'), await start(context.other, 'second')];
  const [one, two] = [context.client(first), context.client(second)];
  const settle = async (): Promise<void> => {
    const most = Math.max((await clusterOf(one)).applied, (await clusterOf(two)).applied);
    await Promise.all([untilApplied(one, most), untilApplied(two, most)]);
  };
  const [large, small, empty] = [randomBytes(MOST_BYTES), Buffer.from('small'), Buffer.alloc(0)];
  const [id, next] = (await one.ingest([event(), event()])).ids as [number, number];
  // The other copy may not have the event yet, and waits for it.
  assert.equal(await attach(second.port, id, 'large', large), 201);
  assert.equal(await attach(first.port, id, 'small', small), 201);
  assert.equal(await attach(first.port, next, 'small', small), 201);
  assert.equal(await attach(first.port, next, 'empty', empty), 201);
  await settle();
  for (const { port } of [first, second]) {
    for (const body of [large, small, empty])
      assert.deepEqual(await readAttachment(port, sha256(body)), body);
    assert.equal(await attach(port, id, 'large', large), 200);
    assert.equal(await attach(port, id, 'large', small), 409);
    assert.equal(await attach(port, id, 'more', Buffer.alloc(MOST_BYTES + 1)), 413);
    assert.equal(await attach(port, 999, 'none', small), 404);
  }
  assert.equal(await attach(first.port, next, 'more', Buffer.alloc(200)), 201);
  await settle();
  const full = await attach(second.port, id, 'more', Buffer.alloc(MOST_BYTES));
  assert.equal(full, 507, 'the bytes of the other server count');
  const both = [first, second].map(({ port }, at) => attach(port, id, 'same', Buffer.from(`${at}`)));
  assert.deepEqual((await Promise.all(both)).sort(), [201, 409], 'the first message counts');
  await settle();
  assert.equal(await listOf(two, id), await listOf(one, id));
  const bytesOf = async (client: ApiClient): Promise<number> =>
    (await client.get('/api/health')).json<{ attachment_bytes: number }>().attachment_bytes;
  const used = (MOST_BLOCKS + 3) * BLOCK;
  assert.deepEqual([await bytesOf(one), await bytesOf(two)], [used, used]);

  await second.kill();
  const fresh = await start(context.other, 'fresh');
  const three = context.client(fresh);
  await untilApplied(three, (await clusterOf(one)).applied);
  for (const at of [id, next]) assert.equal(await listOf(three, at), await listOf(one, at));
  assert.deepEqual(filesOf(context.db('fresh.db')), filesOf(context.db('first.db')));
  assert.deepEqual(brokenFilesOf(context.db('fresh.db')), []);

  await nats.stop();
  await until(async () => !(await clusterOf(three)).connected, 'the lost connection');
  assert.deepEqual(await readAttachment(fresh.port, sha256(large)), large, 'reads go on');
  const refused = await exchange(fresh.port, 'PUT', `/api/events/${id}/attachments/late`, small);
  assert.equal(refused?.status, 503);
  assert.match(refused.body.toString(), /"cluster_unavailable"/);
  await nats.run();
  const isKnown = async (): Promise<boolean> => ((await attach(fresh.port, id, 'late', small)) ?? 500) < 300;
  await until(isKnown, 'an answer', 20_000);
  assert.equal(await attach(fresh.port, id, 'late', small), 200);
  await Promise.all([first.stop(), fresh.stop()]);
}

/** Messages of another program with what no request can name; each differs from a valid one in one member. */
const BROKEN: Readonly<Record<string, readonly unknown[]>> = {
  event: [0, -1, 1.5, '1', null, 9_007_199_254_740_991],
  name: ['', '.', '..', '../../x', 'a/b', 'a\\b', 'a\0b', 'a\r\nb', 'x'.repeat(1_000), 7, null],
  sha256: ['', 'z'.repeat(64), 'a'.repeat(63), '../../../x', null],
  size: [-1, 1.5, 9_007_199_254_740_991, '5', null],
  media_type: ['', 'text', 'text/plain\r\nx: y', 'text/plain\0', 'a'.repeat(10_000), 7, null],
};

/** Attach messages that no request could make, and bodies that are no message, change no copy. */
export async function brokenMessages(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const server = await startNode(context, nats, context.target, 'first');
  const client = context.client(server);
  const [id] = (await client.ingest([event()])).ids as [number];
  const bytes = Buffer.from('right');
  assert.equal(await attach(server.port, id, 'right', bytes), 201);
  const valid = { event: id, name: 'other', sha256: sha256(bytes), size: 5, media_type: 'text/plain' };
  const bodies = [
    ...Object.entries(BROKEN).flatMap(([member, values]) =>
      values.map((value) => JSON.stringify({ ...valid, [member]: value })),
    ),
    ...Object.keys(valid).map((member) => JSON.stringify({ ...valid, [member]: undefined })),
    ...['', '[]', 'null', '{', '\ufffe'],
  ];
  const before = [await listOf(client, id), filesOf(context.db('first.db'))];
  const { applied } = await clusterOf(client);
  for (const body of bodies)
    await askNats(nats.port, `${STREAM}.events`, body, { header: 'Twin-Change: attach' });
  await untilApplied(client, applied + bodies.length);
  assert.deepEqual([await listOf(client, id), filesOf(context.db('first.db'))], before);
  // A message that differs in no member is an attachment.
  assert.equal(await attach(server.port, id, 'other', bytes), 201);
  assert.deepEqual(await readAttachment(server.port, sha256(bytes)), bytes);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
}

/** NATS takes 1,000 consumers of a stream. */
const MANY = 1_100;
const AT_ONCE = 8;

/** A copy that is computed anew gets more attachments than NATS takes consumers, without a pause. */
export async function manyAttachments(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.other, 'first');
  const one = context.client(first);
  const { ids } = await one.ingest([event()]);
  const names = Array.from({ length: MANY }, (_, index) => `${index}`);
  const waiting = [...names];
  const upload = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      assert.equal(await attach(first.port, ids[0]!, name, Buffer.from(name)), 201, name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, upload));
  const { applied } = await clusterOf(one);
  const fresh = await startNode(context, nats, context.target, 'fresh');
  const two = context.client(fresh);
  const isThere = async (): Promise<boolean> => {
    const { applied: reached, failure } = await clusterOf(two);
    assert.ok(failure === null || failure === 'connecting', `the copy stopped at ${reached}: ${failure}`);
    return reached >= applied;
  };
  await until(isThere, `sequence ${applied} in the copy`, 60_000);
  assert.equal(await listOf(two, ids[0]!), await listOf(one, ids[0]!));
  assert.deepEqual(filesOf(context.db('fresh.db')), filesOf(context.db('first.db')));
  assert.deepEqual(brokenFilesOf(context.db('fresh.db')), []);
  await Promise.all([first.stop(), fresh.stop()]);
}

/** Returns the names of the objects in the bucket, and the number of its contents. */
async function bucketOf(nats: Nats): Promise<{ readonly names: string[]; readonly contents: number }> {
  const subjects = async (kind: string): Promise<string[]> => {
    const ask = JSON.stringify({ subjects_filter: `$O.${STREAM}.${kind}.>` });
    type Info = { readonly state: { readonly subjects?: Record<string, number> } };
    const info = await askNats<Info>(nats.port, `$JS.API.STREAM.INFO.OBJ_${STREAM}`, ask);
    return Object.keys(info.state.subjects ?? {});
  };
  const names = (await subjects('M')).map((subject) =>
    Buffer.from(subject.split('.').at(-1)!, 'base64url').toString(),
  );
  return { names: names.sort(), contents: (await subjects('C')).length };
}

function change(nats: Nats, name: string, members: Readonly<Record<string, unknown>>): Promise<unknown> {
  const header = `Twin-Change: ${name}`;
  return askNats(nats.port, `${STREAM}.events`, JSON.stringify(members), { header });
}

/** Deletions on a server and without one, and a message whose object is not there. */
export async function deletedAttachments(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  const [shared, single] = [Buffer.from('shared'), Buffer.from('single')];
  const { ids } = await one.ingest([
    event({ session_id: 'gone' }),
    event({ session_id: 'kept' }),
    event({ session_id: 'later' }),
  ]);
  const [gone, kept, later] = ids as [number, number, number];
  for (const [id, body] of [
    [gone, shared],
    [gone, single],
    [kept, shared],
    [later, single],
  ] as const) {
    assert.equal(await attach(first.port, id, sha256(body), body), 201);
  }
  assert.equal((await one.send('DELETE', '/api/sessions/gone', undefined, [])).status, 200);
  await untilApplied(two, (await clusterOf(one)).applied);
  const isRemoved =
    (...names: string[]) =>
    async (): Promise<boolean> => {
      const bucket = await bucketOf(nats);
      return bucket.names.join() === names.join() && bucket.contents === names.length;
    };
  const [keptName, laterName] = [`${kept}.${sha256(shared)}`, `${later}.${sha256(single)}`];
  await until(isRemoved(keptName, laterName), 'objects without those of the session', 20_000);
  await Promise.all([first.kill(), second.kill()]);

  // A server ends after its deletion, and before it has removed the objects.
  await change(nats, 'delete_events', { through: gone, asked: true });
  await change(nats, 'delete_session', { session_id: 'later', from_block: 0 });
  // The object of this message is not there, as that of a deleted event.
  const lost = { event: kept, name: 'lost', sha256: sha256(Buffer.from('lost')), size: 4, media_type: 'a/b' };
  await change(nats, 'attach', lost);
  await change(nats, 'attach', { ...lost, sha256: 'x' });
  const again = await startNode(context, nats, context.other, 'first');
  await until(isRemoved(keptName), 'objects without those of the event', 20_000);
  const fresh = await startNode(context, nats, context.target, 'fresh');
  const { applied } = await clusterOf(context.client(again));
  await untilApplied(context.client(fresh), applied);
  const list = await listOf(context.client(again), kept);
  assert.equal(await listOf(context.client(fresh), kept), list);
  assert.match(list, /"lost"/);
  for (const [server, name] of [
    [again, 'first.db'],
    [fresh, 'fresh.db'],
  ] as const) {
    assert.deepEqual(await readAttachment(server.port, sha256(shared)), shared);
    assert.equal(await readAttachment(server.port, sha256(single)), undefined);
    assert.equal(await readAttachment(server.port, lost.sha256), undefined);
    assert.equal(filesOf(context.db(name)).length, 1);
  }
  assert.equal(await attach(again.port, kept, 'after', single), 201);
  await Promise.all([again.stop(), fresh.stop()]);
}

const KILLS = 3;
const CLIENTS = 3;
const LARGEST_BYTES = 400_000;

/** Kills of a server during uploads: the other one has every acknowledged attachment. */
export async function killedUploads(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const sizeOf = (): number => 1 + random.below(LARGEST_BYTES);
  const nats = await Nats.start(context);
  const second = await startNode(context, nats, context.other, 'second');
  const two = context.client(second);
  const id = (await two.ingest([event()])).ids[0]!;
  const acknowledged = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const target = kill % 2 === 0 ? context.target : context.other;
    const first = await startNode(context, nats, target, 'first');
    await untilApplied(context.client(first), id);
    const before = acknowledged.size;
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      uploadUntilDead(first.port, id, `${kill}-${client}`, sizeOf, acknowledged),
    );
    await until(() => acknowledged.size >= before + 10, 'ten acknowledged attachments', 30_000);
    await first.kill();
    await Promise.all(clients);
  }
  const first = await startNode(context, nats, context.target, 'first');
  const one = context.client(first);
  const last = (await two.ingest([event()])).ids[0]!;
  await Promise.all([untilApplied(one, last), untilApplied(two, last)]);
  assert.equal(await listOf(one, id), await listOf(two, id));
  for (const { port } of [first, second]) await requireAll(port, acknowledged);
  for (const name of ['first.db', 'second.db']) assert.deepEqual(brokenFilesOf(context.db(name)), []);
  context.note(`${context.target}: ${KILLS} kills, ${acknowledged.size} acknowledged attachments on both`);
  await Promise.all([first.stop(), second.stop()]);
}
