/** Tests the live stream: every event once and in order, across kills, restarts and the other server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ConnectionState } from '../src/connection.ts';
import { iterateEvents } from '../src/iterate.ts';
import { RefusedError } from '../src/refusal.ts';
import { Sender } from '../src/send.ts';
import { type StreamPosition, streamEvents } from '../src/stream.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-stream-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
const start = (name: TargetName, db: string, ...flags: readonly string[]): Promise<RunningServer> =>
  startServer(name, { cwd: folder, flags: ['--db', db, ...flags] });

async function post(url: string, count: number, fields: Record<string, unknown> = {}): Promise<void> {
  const sender = new Sender({ baseUrl: url });
  for (let i = 0; i < count; i++)
    sender.send({ session_id: 's', agent_type: 'agent', event_type: 'tool_use', ...fields });
  await sender.flush();
  sender.stop();
}

/** Collects streamed events, and waits for them. */
function collect(url: string, options: Partial<Parameters<typeof streamEvents>[0]> = {}) {
  const end = new AbortController();
  const ids: number[] = [];
  const states: ConnectionState[] = [];
  let resets = 0;
  let position: StreamPosition | undefined;
  let wake = () => {};
  const done = streamEvents({
    baseUrl: url,
    signal: end.signal,
    random: () => 0.1,
    onEvent(row, at) {
      ids.push(row.id);
      position = at;
      wake();
    },
    onReset() {
      resets++;
      wake();
    },
    onState(state) {
      states.push(state);
      wake();
    },
    ...options,
  });
  const until = async (condition: () => boolean) => {
    while (!condition())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const stop = async () => {
    end.abort();
    await done;
  };
  return { ids, states, until, stop, done, resets: () => resets, position: () => position };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

for (const name of TARGET_NAMES) {
  test(`${name} streams matching events from now on, and nothing after the end`, async () => {
    const server = await start(name, newFile());
    await post(server.url, 3);
    const all = collect(server.url);
    const one = collect(server.url, { filter: { session_id: 't' } });
    await all.until(() => all.states.includes('open'));
    await one.until(() => one.states.includes('open'));
    // The first frame is not reported, but events stored after it are streamed.
    await post(server.url, 2, { session_id: 't' });
    await all.until(() => all.ids.length >= 2);
    await one.until(() => one.ids.length >= 2);
    await all.stop();
    await post(server.url, 1, { session_id: 't' });
    await one.until(() => one.ids.length >= 3);
    assert.deepEqual(
      [all.ids, one.ids],
      [
        [4, 5],
        [4, 5, 6],
      ],
    );
    assert.equal(all.states.at(-1), 'closed');
    await one.stop();
    await server.stop();
  });
}

test('no event is missed or doubled while the two servers alternate, killed and stopped', async () => {
  const db = newFile();
  let server = await start('rs', db);
  const { port, url } = server;
  await post(url, 1);
  const reader = collect(url);
  await reader.until(() => reader.states.includes('open'));
  let last = 1;
  for (const [name, end] of [
    ['ts', 'kill'],
    ['rs', 'stop'],
    ['ts', 'stop'],
    ['rs', 'kill'],
  ] as const) {
    await post(url, 50);
    last += 50;
    await server[end]();
    server = await start(name, db, '--port', String(port));
    await post(url, 50);
    last += 50;
  }
  await reader.until(() => reader.ids.at(-1) === last);
  assert.deepEqual(reader.ids, range(2, last));
  assert.deepEqual([reader.resets(), reader.position()?.id], [0, last]);
  await reader.stop();
  await server.stop();
});

test("a reader resumes at another's position, and another database is a reset", async () => {
  const server = await start('rs', newFile());
  const first = collect(server.url, { from: { epoch: 'of another database', id: 0 } });
  await first.until(() => first.resets() === 1);
  await post(server.url, 5);
  await first.until(() => first.ids.length === 5);
  await first.stop();
  await post(server.url, 5);
  const next = collect(server.url, { from: first.position()! });
  await next.until(() => next.ids.length === 5);
  assert.deepEqual([next.ids, next.resets()], [range(6, 10), 0]);
  await next.stop();
  await server.stop();
});

test('a permanent refusal ends the stream', async () => {
  const server = await start('ts', newFile());
  const refused = collect(server.url, { filter: { session_id: '' } });
  await assert.rejects(
    refused.done,
    (error) => error instanceof RefusedError && error.status === 400 && error.code === 'invalid_parameter',
  );
  assert.deepEqual(refused.states, ['connecting', 'closed']);
  await server.stop();
});

test("a callback's error ends the stream and is reported", async () => {
  const server = await start('rs', newFile());
  const failing = collect(server.url, {
    onEvent() {
      throw new RangeError('mine');
    },
  });
  await failing.until(() => failing.states.includes('open'));
  // The rejection is awaited from before the post, since the stream may end before the answer to the post.
  const told = assert.rejects(failing.done, /mine/);
  await post(server.url, 1);
  await told;
  assert.equal(failing.states.at(-1), 'closed');
  await server.stop();
});

test('a slow loop gets every event, and leaving the loop closes the stream', async () => {
  const server = await start('rs', newFile());
  await post(server.url, 3000);
  const health = async () =>
    ((await (await fetch(`${server.url}/api/health`)).json()) as { sse_clients: number }).sse_clients;
  const { epoch } = (await (await fetch(`${server.url}/api/health`)).json()) as { epoch: string };
  const ids: number[] = [];
  for await (const { row } of iterateEvents({ baseUrl: server.url, from: { epoch, id: 0 } })) {
    ids.push(row.id);
    if (ids.length % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    if (ids.length === 3000) break;
  }
  assert.deepEqual(ids, range(1, 3000));
  while ((await health()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await server.stop();
});
