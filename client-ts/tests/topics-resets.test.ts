/** Tests topics of a restored database, and snapshots that never arrive. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { Sender } from '../src/send.ts';
import { streamEvents } from '../src/stream.ts';
import { Sync } from '../src/sync.ts';
import { Topics } from '../src/topics.ts';
import { event } from './fake-ingest.ts';
import { frame, server, snapshot, syncOn, topicsOn } from './fake-topics.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-resets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a connection that opens below the known revision means a restored database, whose whole state is fetched', async () => {
  for (const deltas of [false, true]) {
    const fake = server(snapshot('5'), snapshot('3'), snapshot('4', deltas ? { since: '3' } : {}));
    const { clock, topics } = topicsOn(fake);
    const { sync, applied } = syncOn(topics, clock, 'events', { deltas });
    await sync.start();
    // A frame that arrives later than a newer fetch does not indicate a restore.
    await fake.streams[0]!.send(frame('events', '4'));
    assert.deepEqual([applied, sync.known?.revision], [['reset -5'], '5']);
    await fake.streams[0]!.end();
    await clock.pass(250);
    await fake.streams[1]!.send(frame('events', '3'));
    assert.deepEqual(applied, ['reset -5', 'reset -3']);
    assert.equal(fake.pulls[1]!.headers['if-none-match'], undefined);
    await fake.streams[1]!.send(frame('events', '4'));
    assert.deepEqual(applied.at(-1), deltas ? '3-4' : '-4');
    sync.stop();
  }
});

test('another connection at the same revision causes no fetch', async () => {
  const fake = server(snapshot('5'));
  const { clock, topics } = topicsOn(fake);
  const { sync } = syncOn(topics, clock, 'events');
  await sync.start();
  await fake.streams[0]!.end();
  await clock.pass(250);
  await fake.streams[1]!.send(frame('events', '5') + frame('events', '2', 'b'));
  assert.deepEqual([sync.counts.invalidations, sync.known?.revision], [2, '5']);
  sync.stop();
});

test('a snapshot without an answer times out and leaves no timer or listener', async () => {
  const clock = new FakeClock();
  const end = new AbortController();
  let isDead = true;
  const topics = new Topics({
    topics: ['events'],
    baseUrl: 'http://host',
    clock,
    request_ms: 5000,
    fetch: (_, { signal }) =>
      isDead
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve(snapshot('1')),
  });
  const { fetch } = topics.of('events');
  const given_up = assert.rejects(fetch(null, end.signal), { name: 'TimeoutError' });
  await clock.pass(4999);
  assert.equal(clock.waiting, 1);
  await clock.pass(1);
  await given_up;
  const stopped = assert.rejects(fetch(null, end.signal), /mine/);
  end.abort(new Error('mine'));
  await stopped;
  isDead = false;
  const live = new AbortController();
  assert.equal((await fetch(null, live.signal))?.revision, '1');
  assert.deepEqual([clock.waiting, getEventListeners(live.signal, 'abort').length], [0, 0]);
  assert.equal(getEventListeners(end.signal, 'abort').length, 0);
});

for (const name of TARGET_NAMES)
  test(`a backup of ${name} that replaces its database is followed by rows and stream`, async () => {
    const [db, backup] = [join(folder, `${name}.db`), join(folder, `${name}-backup.db`)];
    const start = (file: string, port = 0) =>
      startServer(name, { cwd: folder, flags: ['--db', file, '--port', String(port)] });
    const post = async (baseUrl: string, count: number) => {
      const sender = new Sender({ baseUrl });
      for (let i = 0; i < count; i++) sender.send(event());
      await sender.flush();
      sender.stop();
    };
    let wake = () => {};
    const until = async (condition: () => boolean) => {
      while (!condition())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };

    let running = await start(db);
    const { port, url } = running;
    await post(url, 3);
    await running.stop();
    copyFileSync(db, backup);
    running = await start(db, port);

    const end = new AbortController();
    const streamed: number[] = [];
    let resets = 0;
    let connections = 0;
    const streaming = streamEvents({
      baseUrl: url,
      signal: end.signal,
      random: () => 0.1,
      onEvent: ({ id }) => {
        streamed.push(id);
        wake();
      },
      onReset: () => {
        resets++;
        wake();
      },
      onState: (state) => {
        if (state === 'open') connections++;
        wake();
      },
    });
    const topics = new Topics({ baseUrl: url, topics: ['events'], random: () => 0.1 });
    let ids: number[] = [];
    const sync = new Sync<{ readonly events: readonly { readonly id: number }[] }>({
      ...topics.of('events', { deltas: true }),
      random: () => 0.1,
      apply({ data }, isReset) {
        const came = data.events.map(({ id }) => id);
        ids = isReset ? came : [...came, ...ids];
        wake();
      },
    });
    await sync.start();
    await until(() => connections === 1);
    await post(url, 4);
    await until(() => ids[0] === 7 && streamed.at(-1) === 7);

    await running.stop();
    running = await start(backup, port);
    await until(() => resets === 1 && ids[0] === 3);
    assert.deepEqual(ids, [3, 2, 1]);

    // These events raise the revision above the restored one, but not above the previous one.
    await running.stop();
    running = await start(backup);
    await post(running.url, 2);
    await running.stop();
    running = await start(backup, port);
    await until(() => ids[0] === 5 && streamed.at(-1) === 5);
    assert.deepEqual([ids, streamed.slice(-2), resets], [[5, 4, 3, 2, 1], [4, 5], 1]);
    end.abort();
    await streaming;
    sync.stop();
    await running.stop();
  });
