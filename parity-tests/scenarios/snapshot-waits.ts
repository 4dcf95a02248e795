/** Tests snapshots that wait for a revision: a wait ends with the commit, at its time limit, or with the server. */
import assert from 'node:assert/strict';
import { type ApiClient, event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SNAPSHOT_WAITS: ScenarioFile = {
  name: 'snapshot-waits',
  about: 'snapshots that wait for a revision',
  scenarios: [
    { name: 'a wait ends with the commit', rules: ['SYN-08'], uses: 'each', run: waitForCommit },
    {
      name: 'a wait ends with a snapshot when the server shuts down',
      rules: ['SYN-08', 'PRO-07'],
      uses: 'each',
      run: waitForShutdown,
    },
    {
      name: 'a waiting client that disconnects costs nothing',
      rules: ['SYN-08'],
      uses: 'each',
      run: waitAndLeave,
    },
    {
      name: 'a wait ends after snapshot_wait_ms',
      rules: ['SYN-08', 'SYN-06'],
      uses: 'each',
      waits: true,
      run: waitInVain,
    },
  ],
};

interface Snapshot {
  readonly epoch: string;
  readonly revision: string;
  readonly data: { readonly events: readonly { readonly id: number }[] };
}

function ids(shown: Snapshot): number[] {
  return shown.data.events.map((one) => one.id);
}

/** Sends requests one after the other. After them, the server has read every earlier request. */
async function roundtrips(client: ApiClient): Promise<void> {
  for (let count = 0; count < 20; count += 1) await client.get('/livez');
}

async function waitForCommit(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event(), event()]);
  const answered: string[] = [];
  const waiting = (path: string): Promise<Reply> =>
    client.get(`/api/snapshot/${path}`).then((reply) => {
      answered.push(path);
      return reply;
    });
  const begun = performance.now();
  const third = [waiting('events?wait=3&since=2'), waiting('stats?wait=3'), waiting('session:late?wait=3')];
  const fifth = waiting('sessions?wait=5');
  await roundtrips(client);
  assert.deepEqual(answered, [], 'nothing is answered before its commit');
  await client.ingest([event({ session_id: 'late' })]);
  const replies = await Promise.all(third);
  await roundtrips(client);
  assert.deepEqual(answered.length, 3, 'another revision is still waited for');
  for (const reply of replies) {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json<Snapshot>().revision, '3');
  }
  assert.deepEqual(ids(replies[0]!.json<Snapshot>()), [3]);
  await client.ingest([event(), event(), event()]);
  assert.equal((await fifth).json<Snapshot>().revision, '6');
  const took = performance.now() - begun;
  assert.ok(took < 5_000, `before the limit of a wait, and not after ${took} ms`);
}

async function waitForShutdown(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  const begun = performance.now();
  const waiting = [client.get('/api/snapshot/events?wait=9'), client.get('/api/snapshot/nothing?wait=9')];
  assert.equal((await waiting[1]!).status, 404, 'what is no topic is not waited for');
  await roundtrips(client);
  server.signal('SIGTERM');
  const reply = (await waiting[0])!;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json<Snapshot>().revision, '1');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const took = performance.now() - begun;
  assert.ok(took < 5_000, `not held up by a wait, as ${took} ms would be`);
}

async function waitAndLeave(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const leaver = context.client(server);
  const left = Array.from({ length: 50 }, () =>
    leaver.send('GET', '/api/snapshot/events?wait=1', undefined, [], 50).catch(() => undefined),
  );
  await Promise.all(left);
  const { revision } = await client.ingest([event()]);
  const shown = await client.get(`/api/snapshot/events?wait=${revision}`);
  assert.equal(shown.json<Snapshot>().revision, '1');
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.doesNotMatch(server.stderr(), /"level":"ERROR"|Warning/);
}

async function waitInVain(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event({ session_id: 'a' })]);
  const { epoch } = (await client.get('/api/snapshot/events')).json<Snapshot>();
  const begun = performance.now();
  const tag = [['if-none-match', `W/"${epoch}-1"`]] as const;
  const replies = await Promise.all([
    client.get('/api/snapshot/events?wait=2'),
    client.get('/api/snapshot/events?wait=9007199254740991&since=1'),
    client.send('GET', '/api/snapshot/stats?wait=2', undefined, tag),
    client.get('/api/snapshot/session:nobody?wait=2'),
  ]);
  const took = performance.now() - begun;
  assert.ok(took >= 4_980, `a whole wait, and not ${took} ms`);
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [200, 200, 304, 404],
  );
  assert.deepEqual(ids(replies[0]!.json<Snapshot>()), [1]);
  assert.deepEqual(ids(replies[1]!.json<Snapshot>()), []);
  context.note(`answered after ${Math.round(took)} ms`);
}
