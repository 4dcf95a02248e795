/** Tests the stream of invalidations with one reader: its opening frames, its notifications, and their recipients. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Frame, Invalidation, SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const SYNC: ScenarioFile = {
  name: 'sync',
  about: 'the stream of invalidations',
  sharesStreams: true,
  scenarios: [
    {
      name: 'the stream opens with each topic in the order given, and its first frame holds retry',
      rules: ['SYN-02', 'SYN-03', 'STR-10'],
      uses: 'each',
      run: opening,
    },
    {
      name: 'a commit is reported to the clients of its topics, and a duplicate to no client',
      rules: ['SYN-01', 'SYN-02', 'STO-07'],
      uses: 'each',
      run: changes,
    },
    {
      name: 'later sessions, and ids with a comma, are reported',
      rules: ['SYN-01', 'SYN-03'],
      uses: 'each',
      run: sessions,
    },
    {
      name: 'a session id that looks like several topics is one topic',
      rules: ['SYN-02', 'SYN-03'],
      uses: 'each',
      run: lookalikes,
    },
    { name: 'a heartbeat when nothing else was sent', rules: ['SYN-04', 'STR-07'], uses: 'each', run: beats },
    {
      name: 'both modes share the places',
      rules: ['SYN-04', 'STR-09'],
      uses: 'each',
      run: slots,
    },
    {
      name: 'revisions never fall while servers alternate on one file',
      rules: ['SYN-01', 'PRO-08', 'STO-07'],
      uses: 'both',
      run: turns,
    },
  ],
};

const MODE = '?mode=invalidate';
/** Returns the notifications without their epoch. */
function changesOf(invalidations: readonly Invalidation[]): [string, string][] {
  return invalidations.map(({ topic, revision }) => [topic, revision]);
}

/** Opens the stream and waits for its first frames, one for each topic. */
async function opened(
  context: ScenarioContext,
  server: Parameters<ScenarioContext['stream']>[0],
  query: string,
  topics: number,
): Promise<SseClient> {
  const stream = await context.stream(server, `${MODE}${query}`);
  assert.equal(stream.head?.status, 200, stream.body);
  await stream.waitFor(() => stream.invalidations.length >= topics, 'the frames that it opens with');
  return stream;
}

async function opening(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const { epoch } = (await client.get('/api/health')).json<{ epoch: string }>();
  const empty = await opened(context, server, '', 3);
  assert.deepEqual(changesOf(empty.invalidations), [
    ['events', '0'],
    ['stats', '0'],
    ['sessions', '0'],
  ]);
  await client.ingest([event({ session_id: 'a' }), event({ session_id: 'b' })]);
  const stream = await opened(context, server, '&topics=stats,session:a,events,stats,session:b,session:c', 5);
  const head = stream.head!;
  assert.match(headerValues(head.headers, 'content-type').join(), /^text\/event-stream(; charset=utf-8)?$/);
  assert.deepEqual(headerValues(head.headers, 'cache-control'), ['no-store']);
  assert.deepEqual(headerValues(head.headers, 'x-accel-buffering'), ['no']);
  const frame = (topic: string, revision: string, retry?: string): Frame => ({
    id: undefined,
    event: 'invalidate',
    data: `{"topic":"${topic}","revision":"${revision}","epoch":"${epoch}"}`,
    comment: undefined,
    retry,
  });
  assert.deepEqual(stream.frames, [
    frame('stats', '2', '1000'),
    frame('session:a', '1'),
    frame('events', '2'),
    frame('session:b', '2'),
    frame('session:c', '0'),
  ]);
}

async function changes(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const stream = await opened(context, server, '&topics=sessions,session:a,events', 3);
  await client.ingest([event({ session_id: 'a', event_id: 'one' }), event({ session_id: 'b' })]);
  await stream.waitFor(() => stream.invalidations.length >= 6, 'a commit that raises all');
  await client.ingest([event({ session_id: 'b', event_id: 'two' })]);
  await stream.waitFor(() => stream.invalidations.length >= 8, 'a commit that raises two');
  // A server that wrongly reports these requests would do so before it reports later changes.
  const { revision } = await client.ingest([event({ session_id: 'a', event_id: 'one' }), {}]);
  await client.post('/api/events', event({ session_id: 'a', event_id: 'two' }));
  await client.post('/api/hooks/claude-code', []);
  await client.post('/api/hooks/claude-code', { session_id: 'a' });
  await stream.waitFor(() => stream.revisionOf('events') === '4', 'the hook');
  assert.equal(revision, '3');
  assert.deepEqual(changesOf(stream.invalidations).slice(3), [
    ['sessions', '2'],
    ['session:a', '1'],
    ['events', '2'],
    ['sessions', '3'],
    ['events', '3'],
    ['sessions', '4'],
    ['session:a', '4'],
    ['events', '4'],
  ]);
  assert.ok(stream.frames.every((frame) => frame.id === undefined));
  // A notification follows its commit, so a later snapshot contains the change.
  const shown = await client.get('/api/snapshot/session:a');
  assert.equal(shown.json<{ revision: string }>().revision, '4');
}

async function sessions(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const stream = await opened(context, server, '&topics=session:late,session:a%252Cb,session:%2561', 3);
  await client.ingest([event({ session_id: 'b' }), event({ session_id: 'a,b' })]);
  await stream.waitFor(() => stream.invalidations.length >= 4, 'the session with a comma');
  await client.ingest([
    event({ session_id: 'late' }),
    event({ session_id: 'a' }),
    event({ session_id: 'b' }),
  ]);
  await stream.waitFor(() => stream.invalidations.length >= 6, 'the session that came later');
  await client.ingest([event({ session_id: 'late' })]);
  await stream.waitFor(() => stream.revisionOf('session:late') === '6', 'its second event');
  assert.deepEqual(changesOf(stream.invalidations), [
    ['session:late', '0'],
    ['session:a,b', '0'],
    ['session:a', '0'],
    ['session:a,b', '2'],
    ['session:late', '3'],
    ['session:a', '4'],
    ['session:late', '6'],
  ]);
}

/** Clients with the same due topics may share frames. Topics with similar names must not count as the same. */
async function lookalikes(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const between = ['\n0 ', '0 9 ', '\n', ',', '","'];
  for (const ids of [['a', 'b'], ...between.map((text) => [`a${text}session:b`])]) {
    const topics = ids.map((id) => `session:${encodeURIComponent(encodeURIComponent(id))}`);
    const stream = await opened(context, server, `&topics=${topics.join()}`, ids.length);
    const own = ids.map((id) => [`session:${id}`, '0']);
    assert.deepEqual(changesOf(stream.invalidations), own);
  }
}

async function beats(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--heartbeat-ms', '100', '--stats-interval-ms', '100'] });
  const stream = await opened(context, server, '', 3);
  const count = (): number => stream.frames.filter((frame) => frame.comment === 'heartbeat').length;
  await stream.waitFor(() => count() >= 3, 'three heartbeats');
  assert.deepEqual(
    stream.frames.slice(4).filter((frame) => frame.comment !== 'heartbeat'),
    [],
    'nothing but heartbeats, and no statistics',
  );
}

async function slots(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--max-stream-clients', '2'] });
  const client = context.client(server);
  await context.stream(server);
  const second = await opened(context, server, '', 3);
  assert.equal((await client.get('/api/health')).json<{ sse_clients: number }>().sse_clients, 2);
  for (const query of ['', MODE]) {
    const reply = await client.get(`/api/stream${query}`);
    assert.equal(reply.status, 503);
    assert.equal(reply.text, '{"error":"SSE client limit reached","code":"stream_limit","max_clients":2}');
    assert.deepEqual(headerValues(reply.headers, 'retry-after'), []);
  }
  second.close();
  await until(async () => {
    const again = await context.stream(server);
    if (again.head?.status === 200) return true;
    again.close();
    return false;
  }, 'the slot of the client that left');
}

async function turns(context: ScenarioContext): Promise<void> {
  const topics = ['events', 'stats', 'sessions', 'session:s0'];
  const seen = new Map(topics.map((topic) => [topic, ['0']]));
  const epochs = new Set<string>();
  let newest = '0';
  for (const [turn, target] of [context.target, context.other, context.target].entries()) {
    const server = await context.start({ target });
    const client = context.client(server);
    const stream = await opened(context, server, `&topics=${topics.join()}`, topics.length);
    assert.deepEqual(changesOf(stream.invalidations.slice(0, 3)), [
      ['events', newest],
      ['stats', newest],
      ['sessions', newest],
    ]);
    for (let request = 0; request < 20; request += 1)
      newest = (await client.ingest([event({ session_id: `s${request % 3}` }), event()])).revision;
    assert.equal(newest, String(40 * (turn + 1)));
    const own = String(Number(newest) - 3);
    await stream.waitFor(() => stream.revisionOf('sessions') === newest, 'the newest revision');
    await stream.waitFor(() => stream.revisionOf('session:s0') === own, 'the newest of a session');
    for (const { topic, revision, epoch } of stream.invalidations) {
      seen.get(topic)!.push(revision);
      epochs.add(epoch);
    }
    const shown = await client.get('/api/snapshot/session:s0');
    assert.equal(shown.json<{ revision: string }>().revision, own);
    if (turn === 0) await server.kill();
    else await server.stop();
  }
  assert.equal(epochs.size, 1, 'one epoch');
  for (const [topic, revisions] of seen)
    assert.deepEqual(
      revisions,
      revisions.toSorted((one, other) => Number(one) - Number(other)),
      `${topic} never falls`,
    );
}
