/** Tests a sender's reports of its server, and how long a flush waits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from '../src/refusal.ts';
import type { SenderState } from '../src/send.ts';
import { event, refused, senderOn, stored } from './fake-ingest.ts';

/** Returns a sender with a list of its reports and their reasons. */
function reporting(answers: Parameters<typeof senderOn>[0]) {
  const told: [SenderState, string, number][] = [];
  const fake = senderOn(answers, {
    onState: (state, error, wait_ms) =>
      told.push([state, error instanceof Error ? error.message : String(error), wait_ms]),
  });
  return { ...fake, told };
}

test('a sender reports each failed request with its reason, and that it is connected once', async () => {
  const { clock, sender, told } = reporting([
    new TypeError('fetch failed'),
    refused(503, 'overloaded'),
    stored(1),
    stored(1),
    new TypeError('fetch failed'),
    stored(1),
  ]);
  assert.deepEqual(told, []);
  for (let sent = 0; sent < 3; sent++) {
    sender.send(event());
    await clock.pass(1000);
  }
  assert.deepEqual(told, [
    ['retrying', 'fetch failed', 100],
    ['retrying', 'refused with 503 overloaded', 200],
    ['connected', 'undefined', 0],
    ['retrying', 'fetch failed', 100],
    ['connected', 'undefined', 0],
  ]);
});

test('a sender reports a permanent refusal once, and a later success', async () => {
  const errors: unknown[] = [];
  const { clock, sender } = senderOn(
    [refused(401, 'unauthorized'), refused(401, 'unauthorized'), stored(1)],
    {
      onState: (state, error) => errors.push(state, error),
    },
  );
  for (let sent = 0; sent < 3; sent++) {
    sender.send(event());
    await clock.pass(1000);
  }
  const [state, error, ...rest] = errors;
  assert.equal(state, 'refused');
  assert.ok(error instanceof RefusedError && error.status === 401);
  assert.deepEqual(rest, ['connected', undefined]);
  assert.equal(sender.counts.rejected, 2);
});

test('a sender is connected to a server that refuses one event', async () => {
  const { clock, sender, told } = reporting([new TypeError('fetch failed'), refused(400, 'invalid_json')]);
  sender.send(event());
  await clock.pass(1000);
  assert.deepEqual(
    told.map(([state]) => state),
    ['retrying', 'connected'],
  );
});

test('a flush with a time limit rejects after it, and its events continue to wait', async () => {
  let isDown = true;
  const { clock, sender } = senderOn((ids) => (isDown ? refused(503, 'draining') : stored(ids.length)));
  sender.send(event());
  const limited = assert.rejects(sender.flush({ timeout_ms: 5000 }), { name: 'TimeoutError' });
  await clock.pass(5000);
  await limited;
  assert.equal(sender.waiting, 1);
  isDown = false;
  const flushed = sender.flush({ timeout_ms: 60_000 });
  await clock.pass(60_000);
  await flushed;
  assert.deepEqual([sender.waiting, sender.counts.stored, clock.waiting], [0, 1, 0]);
});

test('a flush rejects with the reason of its signal, also one that was aborted before', async () => {
  const { clock, sender } = senderOn([new TypeError('fetch failed')]);
  sender.send(event());
  const end = new AbortController();
  const flushing = assert.rejects(sender.flush({ signal: end.signal }), /the window was closed/);
  await clock.pass(1000);
  end.abort(new Error('the window was closed'));
  await flushing;
  await assert.rejects(sender.flush({ signal: end.signal }), /the window was closed/);
  assert.equal(sender.waiting, 1);
});

test('a stop rejects a flush that has a signal and a time limit', async () => {
  const { clock, sender } = senderOn([new TypeError('fetch failed')]);
  sender.send(event());
  const { signal } = new AbortController();
  const flushing = assert.rejects(sender.flush({ timeout_ms: 5000, signal }), { name: 'AbortError' });
  await clock.pass(1000);
  assert.equal(sender.stop().length, 1);
  await flushing;
});
