/** Tests the requests of topics, and their handling of answers: one connection, known revisions, deltas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@twin-ingest/testkit/fake-clock.ts';
import { frame, server, snapshot, states, syncOn, topicsOn } from './fake-topics.ts';

test('all topics share one connection, open while one is subscribed', async () => {
  const fake = server(snapshot('1'), snapshot('1'), snapshot('2'), snapshot('3'));
  const { heard, onState } = states();
  const { clock, topics } = topicsOn(fake, { min_interval_ms: 250, token: 'secret', onState });
  const [events, stats] = [syncOn(topics, clock, 'events'), syncOn(topics, clock, 'stats')];
  await Promise.all([events.sync.start(), stats.sync.start()]);
  assert.equal(fake.streams.length, 1);
  const { url, headers } = fake.streams[0]!;
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    mode: 'invalidate',
    min_interval_ms: '250',
    topics: 'events,stats',
  });
  assert.deepEqual(
    [headers.authorization, fake.pulls[0]!.headers.authorization],
    Array(2).fill('Bearer secret'),
  );
  await fake.streams[0]!.send(frame('events', '2') + frame('stats', '1'));
  assert.deepEqual([events.applied, stats.applied], [['reset -1', '-2'], ['reset -1']]);
  events.sync.stop();
  await settle();
  assert.deepEqual(heard, ['connecting', 'open']);
  stats.sync.stop();
  await settle();
  assert.deepEqual(heard, ['connecting', 'open', 'closed']);
  await syncOn(topics, clock, 'events').sync.start();
  assert.equal(fake.streams.length, 2);
  assert.throws(() => topics.of('sessions'), TypeError);
});

test('a request names the known revision, and 304 means no change', async () => {
  const fake = server(snapshot('5'), new Response(null, { status: 304 }), snapshot('6'));
  const { clock, topics } = topicsOn(fake);
  const { sync, applied } = syncOn(topics, clock, 'events', { limit: 7 });
  await sync.start();
  await sync.refresh();
  await sync.refresh();
  assert.deepEqual(applied, ['reset -5', '-6']);
  assert.deepEqual(
    fake.pulls.map(({ url, headers }) => [url.pathname, url.search, headers['if-none-match']]),
    [
      ['/api/snapshot/events', '?limit=7', undefined],
      ['/api/snapshot/events', '?limit=7', 'W/"a-5"'],
      ['/api/snapshot/events', '?limit=7', 'W/"a-5"'],
    ],
  );
  sync.stop();
});

test('deltas add to the known state unless the answer has reset', async () => {
  const fake = server(
    snapshot('5'),
    snapshot('6', { since: '5' }),
    snapshot('90', { reset: true }),
    snapshot('91'),
    Response.json({ epoch: 'b', revision: '3', reset: true, data: [] }),
  );
  const { clock, topics } = topicsOn(fake);
  const { sync, applied } = syncOn(topics, clock, 'events', { deltas: true });
  await sync.start();
  for (let i = 0; i < 4; i++) await sync.refresh();
  assert.deepEqual(applied, ['reset -5', '5-6', 'reset -90', 'reset -91', 'reset -3']);
  assert.deepEqual(
    fake.pulls.map(({ url }) => url.search),
    ['?', '?since=5&epoch=a', '?since=6&epoch=a', '?since=90&epoch=a', '?since=91&epoch=a'].map((query) =>
      query === '?' ? '' : query,
    ),
  );
  sync.stop();
});

test('the id of a session is encoded once in a path and twice in a list', async () => {
  const topic = 'session:a,b/c%20 d?&é';
  const fake = server(snapshot('1'));
  const { clock, topics } = topicsOn(fake, { topics: ['events', topic] });
  const { sync } = syncOn(topics, clock, topic);
  await sync.start();
  const one = 'session:a%2Cb%2Fc%2520%20d%3F%26%C3%A9';
  assert.equal(fake.pulls[0]!.url.pathname, `/api/snapshot/${one}`);
  assert.equal(fake.streams[0]!.url.searchParams.get('topics'), `events,${one}`);
  sync.stop();
});

test("topics reconnect within the server's bound, after growing waits, and lose no change", async () => {
  const fake = server(snapshot('1'), snapshot('2'));
  const { heard, onState } = states();
  const { clock, topics } = topicsOn(fake, { onState });
  const { sync, applied } = syncOn(topics, clock, 'events');
  await sync.start();
  await fake.streams[0]!.send(`retry: 1000\n${frame('events', '1')}`);
  fake.refusals.push(new Response('', { status: 503 }), new Response('', { status: 502 }));
  await fake.streams[0]!.end();
  await clock.pass(1000);
  await clock.pass(2000);
  await clock.pass(4000);
  await fake.streams[1]!.send(frame('events', '2'));
  assert.deepEqual(applied, ['reset -1', '-2']);
  assert.deepEqual(heard, [
    ...['connecting', 'open', 'waiting 1000', 'connecting', 'waiting 2000', 'connecting', 'waiting 4000'],
    ...['connecting', 'open'],
  ]);
  // A `retry` of 0 would disable the wait permanently. Only a text of digits is a time.
  await fake.streams[1]!.send('retry: 0\nretry: -5\nretry: 1e1\nretry: soon\nretry\n\n');
  await fake.streams[1]!.end();
  assert.equal(heard.at(-1), 'waiting 1000');
  sync.stop();
});

test('a refusal is an error of the fetch with its code, and of the connection', async () => {
  const refusal = () => Response.json({ error: '', code: 'unauthorized' }, { status: 401 });
  const fake = server(refusal());
  const { heard, onState } = states();
  fake.refusals.push(refusal());
  const { topics } = topicsOn(fake, { onState });
  const { subscribe, fetch } = topics.of('events');
  const { signal } = new AbortController();
  await subscribe(() => {}, signal);
  await settle();
  await assert.rejects(fetch(null, signal), { name: 'RefusedError', status: 401, code: 'unauthorized' });
  assert.deepEqual(heard, ['connecting', 'closed']);
  await subscribe(() => {}, signal);
  assert.equal(fake.streams.length, 1, 'the next subscription connects again');
});

test('frames of other names and comments are ignored', async () => {
  const fake = server(snapshot('1'));
  const { clock, topics } = topicsOn(fake);
  const { sync } = syncOn(topics, clock, 'events');
  await sync.start();
  await fake.streams[0]!.send(': heartbeat\n\nevent: other\ndata: no JSON\n\ndata: {"type":"connected"}\n\n');
  await fake.streams[0]!.send(frame('events', '1'));
  assert.deepEqual([sync.counts.invalidations, sync.counts.fetches], [1, 1]);
  sync.stop();
});
