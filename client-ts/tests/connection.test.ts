/** Tests how long a stream may be silent: it depends on its server's heartbeat interval, which is not announced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, settle } from '@twin-ingest/testkit/fake-clock.ts';
import { keepConnected } from '../src/connection.ts';

const LIMIT_MS = 90_000;

/** Opens a connection to a fake server, with a fake clock. */
function connected(take: () => void | Promise<void> = () => {}) {
  const clock = new FakeClock();
  const end = new AbortController();
  const states: string[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  /** Whether the server answers requests. */
  const server = { isThere: true };
  const done = keepConnected(
    {
      url: () => 'http://host/',
      headers: {},
      clock,
      random: () => 0,
      fetch: (_, { signal }) =>
        new Promise((resolve, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason));
          if (!server.isThere) return;
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              streams.push(controller);
              signal!.addEventListener('abort', () => controller.error(signal!.reason));
            },
          });
          resolve(new Response(body));
        }),
      onMessage: take,
      onState: (state) => states.push(state),
    },
    end.signal,
  );
  const say = (text: string) => {
    streams.at(-1)!.enqueue(new TextEncoder().encode(text));
    return settle();
  };
  const stop = async () => {
    end.abort();
    await done;
    assert.equal(clock.waiting, 0);
  };
  return { clock, states, streams, server, say, stop };
}

test('the client waits for three heartbeats at any interval', async () => {
  const { clock, streams, say, stop } = connected();
  await settle();
  await say('data: opening\n\n');
  await clock.pass(60_000);
  await say(': heartbeat\n\n');
  await clock.pass(3 * 60_000 - 1);
  assert.equal(streams.length, 1);
  await clock.pass(1);
  assert.equal(streams.length, 2);
  await stop();
});

test('with short heartbeats a stream still counts as dead only after 90 s', async () => {
  const { clock, streams, say, stop } = connected();
  await settle();
  await say('data: opening\n\n');
  for (let i = 0; i < 10; i++) {
    await clock.pass(1000);
    await say(': heartbeat\n\n');
  }
  await clock.pass(LIMIT_MS - 1);
  assert.equal(streams.length, 1);
  await clock.pass(1);
  assert.equal(streams.length, 2);
  await stop();
});

test('before the first heartbeat each next stream gets twice as long', async () => {
  const { clock, streams, say, stop } = connected();
  await settle();
  // For the longest configurable heartbeat interval: 10 minutes.
  for (const [i, limit_ms] of [LIMIT_MS, 2 * LIMIT_MS, 4 * LIMIT_MS].entries()) {
    await clock.pass(limit_ms - 1);
    assert.equal(streams.length, i + 1);
    await clock.pass(1);
    assert.equal(streams.length, i + 2);
  }
  for (let i = 0; i < 5; i++) {
    await clock.pass(600_000);
    await say(': heartbeat\n\n');
  }
  assert.equal(streams.length, 4);
  await clock.pass(15_000);
  await say(': heartbeat\n\n');
  await clock.pass(LIMIT_MS);
  assert.equal(streams.length, 5, 'near again, and dead as soon');
  await stop();
});

test('a request without an answer is abandoned, and so is the next one', async () => {
  const { clock, states, server, stop } = connected();
  await settle();
  server.isThere = false;
  for (let i = 1; i <= 4; i++) {
    await clock.pass(i === 1 ? LIMIT_MS : 2 * LIMIT_MS);
    assert.equal(states.filter((state) => state === 'waiting').length, i);
  }
  await stop();
});

test('a slow callback does not count as silence of the server', async () => {
  let taken = () => {};
  const { clock, states, say, stop } = connected(
    () =>
      new Promise((resolve) => {
        taken = resolve;
      }),
  );
  await settle();
  await say('data: one\n\n');
  await clock.pass(10 * LIMIT_MS);
  taken();
  await settle();
  await clock.pass(LIMIT_MS - 1);
  assert.deepEqual(states, ['connecting', 'open']);
  await stop();
});
