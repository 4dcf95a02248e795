/** Tests that every server of a stream has the same copy. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { fillEveryKind } from '../../src/every-kind.ts';
import { rowsOf } from '../../src/forward-pair.ts';
import { askNats, clusterOf, compareAnswers, Nats, STREAM, startNode, untilApplied } from '../../src/nats.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

/** Two servers of different runtimes, a kill of one, and a third one with a new database. */
export async function equalCopies(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  await fillEveryKind(one);
  const { ids, revision } = await two.ingest([event({ event_id: 'x' }), event(), event({ event_id: 'x' })]);
  assert.deepEqual(ids, [1201, 1202]);
  assert.ok(Number(revision) >= 1202);
  // The answer of a server includes what its own copy has.
  const newest = (await two.get('/api/events?limit=2')).json<{ events: { id: number }[] }>().events;
  assert.deepEqual(
    newest.map(({ id }) => id),
    [1202, 1201],
  );
  const again = await one.post('/api/events', event({ event_id: 'x' }));
  assert.deepEqual([again.status, again.json<{ duplicates: number }>().duplicates], [200, 1]);
  await untilApplied(one, 1202);
  await compareAnswers(one, two);
  assert.deepEqual(rowsOf(context.db('second.db')), rowsOf(context.db('first.db')));
  assert.equal(rowsOf(context.db('first.db')).length, 1202);
  const { stream, connected, failure } = await clusterOf(one);
  assert.deepEqual([stream, connected, failure], [STREAM, true, null]);

  await first.kill();
  await two.ingest([event({ session_id: 'while away' })]);
  // Either runtime continues the copy of the other.
  const again2 = await startNode(context, nats, context.other, 'first');
  const fresh = await startNode(context, nats, context.target, 'fresh');
  for (const client of [context.client(again2), context.client(fresh)]) {
    await untilApplied(client, 1203);
    await compareAnswers(two, client);
  }
  assert.deepEqual(rowsOf(context.db('fresh.db')), rowsOf(context.db('first.db')));
  await Promise.all([second.stop(), again2.stop(), fresh.stop()]);
}

interface Stored {
  readonly message: { readonly data: string; readonly hdrs?: string; readonly subject: string };
}

/** The bytes of messages, and messages that are no events. */
export async function messages(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const server = await startNode(context, nats, context.target, 'first');
  const client = context.client(server);
  const body =
    '{"session_id":"s\\n\\"","agent_type":"a","event_type":"error","event_id":"é","cost_usd":0.1,"metadata":{ "a":\n[1.0] }}';
  assert.equal((await client.send('POST', '/api/events', Buffer.from(body), [])).status, 201);
  const { message } = await askNats<Stored>(nats.port, `$JS.API.STREAM.MSG.GET.${STREAM}`, '{"seq":1}');
  const [head, ...rest] = Buffer.from(message.data, 'base64').toString().split('\n');
  assert.equal(message.subject, `${STREAM}.events`);
  assert.equal(rest.join('\n'), '{ "a":\n[1.0] }');
  assert.deepEqual(JSON.parse(head!), {
    session_id: 's\n"',
    agent_type: 'a',
    event_type: 'error',
    status: 'error',
    event_id: 'é',
    tokens_in: 0,
    tokens_out: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    cost_usd: 0.1,
    source: 'api',
  });
  const headers = Buffer.from(message.hdrs ?? '', 'base64').toString();
  assert.equal(headers, 'NATS/1.0\r\nNats-Msg-Id: 4a99557e4033c3539de2eb65472017ca\r\n\r\n');
  for (const text of ['x', '{}\n{}', `${head}\n{`]) await askNats(nats.port, `${STREAM}.events`, text);
  const { ids } = await client.ingest([event()]);
  assert.deepEqual(ids, [5]);
  assert.equal(rowsOf(context.db('first.db')).length, 2);
  await server.stop();
}

/** The stream forgets an id soon; the copies do not. */
export async function oldDuplicate(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const stream = {
    name: STREAM,
    subjects: [`${STREAM}.events`],
    num_replicas: 1,
    duplicate_window: 100_000_000,
  };
  await askNats(nats.port, `$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(stream));
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  assert.deepEqual((await one.ingest([event({ event_id: 'x' })])).ids, [1]);
  for (const client of [one, two]) {
    await pause(500);
    const { ids, duplicates } = await client.ingest([event({ event_id: 'x' }), event()]);
    assert.equal(duplicates, 1);
    assert.equal(ids.length, 1);
  }
  await untilApplied(one, 5);
  await compareAnswers(one, two);
  assert.deepEqual(
    rowsOf(context.db('first.db')).map(({ id }) => id),
    [1, 3, 5],
  );
  await Promise.all([first.stop(), second.stop()]);
}

/** A permission, its end, and a dismissal. */
export async function waits(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const second = await startNode(context, nats, context.other, 'second');
  const [one, two] = [context.client(first), context.client(second)];
  const hook = async (session_id: string, hook_event_name: string): Promise<void> => {
    const payload = {
      session_id,
      hook_event_name,
      tool_name: 'Bash',
      tool_input: {},
      tool_use_id: `${session_id}-1`,
    };
    assert.equal((await one.post('/api/hooks/claude-code', payload)).status, 200);
  };
  await hook('asks', 'PermissionRequest');
  await hook('asked', 'PermissionRequest');
  await hook('asked', 'PostToolUse');
  await hook('dismissed', 'PermissionRequest');
  assert.equal((await one.post('/api/sessions/dismissed/dismiss', {})).status, 200);
  await untilApplied(two, (await clusterOf(one)).applied);
  await compareAnswers(one, two);
  type Sessions = { readonly sessions: readonly { readonly id: string; readonly status: string }[] };
  const { sessions } = (await two.get('/api/sessions')).json<Sessions>();
  const waiting = sessions.filter(({ status }) => status === 'waiting').map(({ id }) => id);
  assert.deepEqual(waiting, ['asks']);
  await Promise.all([first.stop(), second.stop()]);
}
