/**
 * Tests the coalesced fetch: its requests, the applied states, and that it always reaches the newest state.
 *
 * Over 250 lines because the rules of one state machine belong in one file.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, settle } from '@twin-ingest/testkit/fake-clock.ts';
import { compareRevisions, type Revision } from '../src/revision.ts';
import { Sync } from '../src/sync.ts';
import { FakeServer } from './fake-server.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

test('a hundred simultaneous invalidations cause at most two fetches, and the last state is applied', async () => {
  const server = await FakeServer.at('0');
  for (const revision of range(1, 100)) server.invalidate(revision);
  await settle();
  assert.equal(server.pulls.length, 1);
  await server.pulls[0]!.answer('100');
  await server.clock.pass(1000);
  assert.deepEqual(server.applied, ['a:100']);
  assert.deepEqual([server.sync.counts.fetches, server.pulls.length], [2, 0]);
});

test('an announcement that is not newer than the applied state causes no fetch', async () => {
  const server = await FakeServer.at('5');
  for (const revision of ['5', '4', '0']) server.invalidate(revision);
  await server.clock.pass(1000);
  assert.deepEqual([server.pulls.length, server.sync.counts.fetches], [0, 1]);
});

test('one fetch is in flight and at most one follows, for any number of requests', async () => {
  const server = await FakeServer.at('0', { pace: { throttle_ms: 0 } });
  for (const revision of range(1, 50)) server.invalidate(revision);
  await settle();
  assert.equal(server.pulls.length, 1);
  await server.pulls[0]!.answer('10');
  assert.equal(server.pulls.length, 1);
  await server.pulls[0]!.answer('50');
  await server.clock.pass(1000);
  assert.deepEqual(server.applied, ['a:10', 'a:50']);
  assert.equal(server.pulls.length, 0);
});

test('an announcement during a fetch waits for the pace, and without a pace causes another fetch', async () => {
  const paced = await FakeServer.at('0', { pace: { throttle_ms: 1000 } });
  paced.invalidate('1');
  await settle();
  paced.invalidate('2');
  await paced.pulls[0]!.answer('1');
  await paced.clock.pass(990);
  assert.equal(paced.pulls.length, 0);
  await paced.clock.pass(10);
  await paced.pulls[0]!.answer('2');
  await paced.clock.pass(10_000);
  assert.deepEqual([paced.applied, paced.sync.counts.fetches], [['a:1', 'a:2'], 3]);

  const leading = await FakeServer.at('0', { pace: { throttle_ms: 60_000, trailing: false } });
  leading.invalidate('1');
  await settle();
  leading.invalidate('2');
  await leading.pulls[0]!.answer('1');
  await leading.clock.pass(100);
  await leading.pulls[0]!.answer('2');
  assert.deepEqual(leading.applied, ['a:1', 'a:2']);
});

test('a snapshot older than the announcement is fetched again until it is as new', async () => {
  const server = await FakeServer.at('2');
  server.invalidate('7');
  await settle();
  await server.pulls[0]!.answer('2');
  assert.deepEqual([server.applied, server.pulls.length, server.sync.counts.stale], [[], 0, 1]);
  await server.clock.pass(100);
  await server.pulls[0]!.answer('3');
  await server.clock.pass(200);
  await server.pulls[0]!.answer('7');
  await server.clock.pass(10_000);
  assert.deepEqual(server.applied, ['a:3', 'a:7']);
  assert.equal(server.pulls.length, 0);
});

test('a failed fetch is repeated until the announced state is applied', async () => {
  const server = await FakeServer.at('0');
  server.invalidate('1');
  await settle();
  server.invalidate('9');
  for (const wait of [0, 100, 200, 400]) {
    await server.clock.pass(wait);
    assert.equal(server.pulls.length, 1, `after ${wait} ms`);
    await server.pulls[0]!.fail();
  }
  await server.clock.pass(800);
  await server.pulls[0]!.answer('9');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['a:9'], 0]);
  assert.deepEqual(server.errors, ['fetch', 'fetch', 'fetch', 'fetch']);
});

test('another epoch starts over, even with a smaller revision', async () => {
  const server = await FakeServer.at('500');
  server.invalidate('3', 'b');
  await settle();
  await server.pulls[0]!.answer('3', 'b');
  await server.clock.pass(1000);
  assert.deepEqual(server.applied, ['reset b:3']);
  assert.deepEqual(server.sync.known, { epoch: 'b', revision: '3' });
  server.invalidate('4', 'b');
  await settle();
  await server.pulls[0]!.answer('4', 'b');
  assert.deepEqual(server.applied, ['reset b:3', 'b:4']);
});

test('a silently replaced database is applied, and announcements of the old one are void', async () => {
  const server = await FakeServer.at('5');
  server.invalidate('8');
  await settle();
  await server.pulls[0]!.answer('1', 'b');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['reset b:1'], 0]);
});

test('a stop ends the wait between attempts', async () => {
  const server = await FakeServer.at('0');
  server.invalidate('1');
  await settle();
  await server.pulls[0]!.fail();
  assert.equal(server.clock.waiting > 0, true);
  server.sync.stop();
  await server.clock.pass(60_000);
  assert.deepEqual([server.pulls.length, server.clock.waiting], [0, 0]);
});

test('an invalid revision is reported, changes nothing, and the next one works', async () => {
  const server = await FakeServer.at('5');
  for (const revision of ['07', '+8', '', ' 9', 9, null, '18446744073709551616']) server.invalidate(revision);
  for (const topic of ['', '  ', 5, null]) server.invalidate('9', 'a', topic);
  server.invalidate('9', 7);
  assert.deepEqual(server.errors, Array(12).fill('protocol'));
  server.invalidate('9', 'a', 'stats');
  assert.deepEqual([server.errors.length, server.sync.counts.invalidations], [12, 0]);
  await server.clock.pass(1000);
  assert.equal(server.pulls.length, 0);
  server.invalidate('6');
  await settle();
  await server.pulls[0]!.answer('07');
  assert.deepEqual([server.errors.at(-1), server.applied], ['protocol', []]);
  await server.clock.pass(100);
  await server.pulls[0]!.answer('7');
  assert.deepEqual(server.applied, ['a:7']);
});

test('a refresh resolves once the announcements before it are applied', async () => {
  const server = await FakeServer.at('1', { pace: { throttle_ms: 0 } });
  server.invalidate('5');
  await settle();
  let isFresh = false;
  const refreshed = server.sync.refresh().then(() => {
    isFresh = true;
  });
  await server.pulls[0]!.answer('5');
  assert.equal(isFresh, false, 'the pull that was in flight may have read before');
  await server.pulls[0]!.answer('5');
  await refreshed;
  assert.equal(isFresh, true);
});

test('applied revisions grow in any order of answers', async () => {
  const server = await FakeServer.at('9', { pace: { throttle_ms: 0 } });
  for (const revision of ['10', '8', '9', '12']) {
    void server.sync.refresh();
    await settle();
    await server.pulls[0]!.answer(revision);
  }
  assert.deepEqual(server.applied, ['a:10', 'a:12']);
});

test('a failed apply keeps the known state and is repeated', async () => {
  const server = await FakeServer.at('1');
  server.failApply = 1;
  server.invalidate('2');
  await settle();
  await server.pulls[0]!.answer('2');
  assert.deepEqual([server.errors, server.sync.known?.revision, server.applied], [['apply'], '1', []]);
  await server.clock.pass(100);
  await server.pulls[0]!.answer('2');
  assert.deepEqual(server.applied, ['a:2']);
});

test('the first state is applied even at revision 0; an unchanged one is not', async () => {
  const server = new FakeServer();
  const started = server.sync.start();
  await settle();
  assert.equal(server.pulls[0]!.known, null);
  await server.pulls[0]!.answer('0');
  await started;
  void server.sync.refresh();
  await settle();
  assert.deepEqual(server.pulls[0]!.known, { epoch: 'a', revision: '0' });
  await server.pulls[0]!.unchanged();
  assert.deepEqual([server.applied, server.sync.counts.unchanged], [['reset a:0'], 1]);
});

test('after a stop the fetch in flight is aborted, nothing is applied, and a start rejects', async () => {
  const server = await FakeServer.at('1');
  server.invalidate('2');
  const refreshed = server.sync.refresh();
  refreshed.catch(() => undefined);
  await settle();
  const pull = server.pulls[0]!;
  server.sync.stop();
  server.sync.stop();
  assert.ok(pull.signal.aborted);
  await pull.answer('2');
  server.invalidate('3');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [[], 0]);
  for (const promise of [refreshed, server.sync.start(), server.sync.refresh()])
    await assert.rejects(promise, { name: 'AbortError' });
});

test('each fetch has its own signal, so that listeners do not accumulate', async () => {
  const server = await FakeServer.at('1');
  const signals: AbortSignal[] = [];
  for (const revision of ['2', '3']) {
    void server.sync.refresh();
    await settle();
    const pull = server.pulls[0]!;
    signals.push(pull.signal);
    await pull.answer(revision);
    await server.clock.pass(1000);
  }
  assert.equal(new Set(signals).size, 2);
  server.sync.stop();
});

test('a signal stops a sync, even if already aborted', async () => {
  const end = new AbortController();
  const server = await FakeServer.at('1', { signal: end.signal });
  end.abort();
  await assert.rejects(server.sync.refresh(), { name: 'AbortError' });
  await assert.rejects(new FakeServer({ signal: end.signal }).sync.start(), { name: 'AbortError' });
});

test('a second start has no effect; after a failed subscribe a start may be repeated', async () => {
  let attempts = 0;
  const server = new FakeServer({
    subscribe: async () => {
      if (attempts++ === 0) throw new Error('subscribe');
      return () => {};
    },
  });
  await assert.rejects(server.sync.start(), /subscribe/);
  const [first, second] = [server.sync.start(), server.sync.start()];
  await settle();
  await server.pulls[0]!.answer('1');
  await Promise.all([first, second]);
  assert.deepEqual([attempts, server.errors, server.sync.counts.fetches], [2, ['subscribe'], 1]);
});

test('an error callback may throw', async () => {
  const server = await FakeServer.at('1', {
    onError: () => {
      throw new Error('onError');
    },
  });
  server.invalidate('x');
  server.invalidate('2');
  await settle();
  await server.pulls[0]!.answer('2');
  assert.deepEqual(server.applied, ['a:2']);
});

test('with drops, duplicates, delays and reordering of 100,000 invalidations, revisions grow and the last is applied', async () => {
  const clock = new FakeClock();
  let now = 0;
  let violations = 0;
  let last: Revision | null = null;
  let state = 12345;
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  let hear: (heard: unknown) => void = () => {};
  const sync = new Sync<number>({
    topic: 'events',
    clock,
    random,
    pace: { throttle_ms: 0 },
    subscribe: async (heard) => {
      hear = heard;
      return () => {};
    },
    fetch: async () => {
      if (random() < 0.05) throw new Error('lost');
      // Some reads return a state that is older than the announcement.
      const data = Math.max(0, now - Math.floor(random() * 3));
      return { epoch: 'a', revision: String(data), data };
    },
    apply: ({ revision }) => {
      if (last !== null && compareRevisions(last, revision as Revision) >= 0) violations++;
      last = revision as Revision;
    },
  });
  const started = sync.start();
  await clock.pass(20_000);
  await started;
  while (now < 100_000) {
    for (let i = 0; i < 250; i++) {
      now++;
      const heard = { topic: 'events', epoch: 'a', revision: String(now - Math.floor(random() * 2)) };
      if (random() < 0.2) continue;
      hear(heard);
      if (random() < 0.2) hear(heard);
    }
    await clock.pass([1, 5, 10, 30, 50][now % 5]!);
  }
  hear({ topic: 'events', epoch: 'a', revision: String(now) });
  await clock.pass(120_000);
  assert.deepEqual([violations, last], [0, '100000']);
});
