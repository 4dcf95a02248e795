/** Tests a database that was restored to an older state, and failing fetches under many invalidations. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settle } from '@twin-ingest/testkit/fake-clock.ts';
import { FakeServer } from './fake-server.ts';

test('a state with `reset` is applied with a lower revision, and later deltas add to it', async () => {
  const server = await FakeServer.at('5', { pace: { throttle_ms: 0 } });
  const refreshed = server.sync.refresh();
  await settle();
  await server.pulls[0]!.answer('3', 'a', { reset: true });
  await refreshed;
  assert.deepEqual([server.applied, server.sync.known], [['reset a:3'], { epoch: 'a', revision: '3' }]);
  await server.pulls[0]!.unchanged();
  server.invalidate('4');
  await settle();
  assert.equal(server.pulls[0]!.known?.revision, '3');
  await server.pulls[0]!.answer('4');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['reset a:3', 'a:4'], 0]);
});

test('announcements from before a reset are void, later ones are fetched', async () => {
  const server = await FakeServer.at('5', { pace: { throttle_ms: 0 } });
  server.invalidate('7');
  const refreshed = server.sync.refresh();
  await settle();
  server.invalidate('4');
  await server.pulls[0]!.answer('3', 'a', { reset: true });
  await server.pulls[0]!.answer('4');
  await refreshed;
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['reset a:3', 'a:4'], 0]);
});

test('a late answer is not applied, nor one of the earlier timeline', async () => {
  const server = await FakeServer.at('5', { pace: { throttle_ms: 0 } });
  void server.sync.refresh();
  await settle();
  await server.pulls[0]!.answer('3');
  assert.deepEqual(server.applied, []);

  server.invalidate('6');
  await settle();
  const late = server.pulls[0]!;
  server.invalidate('2', 'a', 'events', true);
  assert.ok(late.signal.aborted);
  await late.answer('6');
  assert.deepEqual([server.applied, server.sync.known], [[], null]);
  await server.clock.pass(100);
  assert.equal(server.pulls[0]!.known, null);
  await server.pulls[0]!.answer('2');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['reset a:2'], 0]);
});

test('a refresh whose goal a reset made unreachable resolves with the next state', async () => {
  const server = await FakeServer.at('5', { pace: { throttle_ms: 0 } });
  server.invalidate('7');
  const refreshed = server.sync.refresh();
  await settle();
  server.invalidate('2', 'a', 'events', true);
  await server.pulls[0]!.fail();
  await server.clock.pass(100);
  await server.pulls[0]!.answer('2');
  await refreshed;
  assert.deepEqual([server.applied, server.errors], [['reset a:2'], []]);
});

test('announcements do not shorten the wait after a failed fetch', async () => {
  const server = await FakeServer.at('0', { pace: { throttle_ms: 0 } });
  server.invalidate('1');
  await settle();
  for (const [i, wait_ms] of [100, 200, 400].entries()) {
    server.invalidate(String(2 * i + 2));
    await server.pulls[0]!.fail();
    server.invalidate(String(2 * i + 3));
    await server.clock.pass(wait_ms - 1);
    assert.equal(server.pulls.length, 0, `before ${wait_ms} ms`);
    await server.clock.pass(1);
    assert.equal(server.pulls.length, 1, `after ${wait_ms} ms`);
  }
  await server.pulls[0]!.answer('7');
  await server.clock.pass(60_000);
  assert.deepEqual([server.applied, server.pulls.length], [['a:7'], 0]);
});

test('a refresh before or during a failing fetch does not wait for the next one', async () => {
  const server = await FakeServer.at('0', { pace: { throttle_ms: 0 } });
  server.invalidate('1');
  await settle();
  const first = server.sync.refresh();
  await server.pulls[0]!.fail();
  assert.equal(server.pulls.length, 1);
  await server.pulls[0]!.fail();
  assert.equal(server.pulls.length, 0);
  const second = server.sync.refresh();
  await settle();
  await server.pulls[0]!.answer('1');
  await Promise.all([first, second]);
  assert.deepEqual(server.applied, ['a:1']);
});

test('a stopped sync leaves no listener on its signal', async () => {
  const end = new AbortController();
  const server = await FakeServer.at('1', { signal: end.signal });
  assert.equal(getEventListeners(end.signal, 'abort').length, 1);
  server.sync.stop();
  assert.equal(getEventListeners(end.signal, 'abort').length, 0);
});
