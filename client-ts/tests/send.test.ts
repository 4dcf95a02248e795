/** Tests sending: each event is stored once, despite failures of the server and of single answers. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { settle } from '@twin-ingest/testkit/fake-clock.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { QueueFullError, Sender } from '../src/send.ts';
import { event, refused, senderOn, stored } from './fake-ingest.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-send-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const start = (name: TargetName, db: string, ...flags: readonly string[]): Promise<RunningServer> =>
  startServer(name, { cwd: folder, flags: ['--db', db, ...flags] });
const newFile = () => join(folder, `${++files}.db`);
async function storedIds(url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = 0; ; ) {
    const response = await fetch(`${url}/api/events?limit=1000&after=${after}`);
    const { events, next } = (await response.json()) as {
      events: { event_id: string }[];
      next: number | null;
    };
    ids.push(...events.map(({ event_id }) => event_id));
    if (next === null) return ids;
    after = next;
  }
}

for (const name of TARGET_NAMES) {
  test(`events reach ${name} in batches and in order, and rejected ones are reported`, async () => {
    const server = await start(name, newFile(), '--max-batch-events', '40');
    const rejected: [string | undefined, readonly string[]][] = [];
    const sender = new Sender({
      baseUrl: `${server.url}/`,
      onRejected: (one, problems) => rejected.push([one.event_id, problems]),
    });
    const ids = Array.from({ length: 95 }, (_, i) => sender.send(event({ tokens_in: i })));
    const bad = sender.send(event({ tokens_in: -1 }));
    const given = sender.send(event({ event_id: 'given' }));
    await sender.flush();
    assert.deepEqual([given, sender.waiting], ['given', 0]);
    assert.deepEqual(await storedIds(server.url), [...ids, 'given']);
    assert.deepEqual(rejected, [[bad, ['tokens_in: must be a non-negative integer when provided']]]);
    sender.send(event({ event_id: 'given' }));
    await sender.flush();
    // A hundred events exceeded the limit, so the sender sent them in halves.
    assert.deepEqual({ ...sender.counts }, { stored: 96, duplicates: 1, rejected: 1 });
    sender.stop();
    await server.stop();
  });

  test(`a kill and restart of ${name} lose no event in flight and store none twice`, async () => {
    const db = newFile();
    let server = await start(name, db);
    const { port } = server;
    const sender = new Sender({ baseUrl: server.url, batch_events: 20, random: () => 0.2 });
    const ids: string[] = [];
    const fill = async (until: number) => {
      while (ids.length < until) {
        for (let i = 0; i < 20; i++) ids.push(sender.send(event()));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    await fill(400);
    await server.kill();
    await fill(600);
    server = await start(name, db, '--port', String(port));
    await fill(800);
    await sender.flush();
    assert.deepEqual(await storedIds(server.url), ids);
    assert.equal(sender.counts.stored + sender.counts.duplicates, 800);
    sender.stop();
    await server.stop();
  });
}

test('waiting events are bounded, and a stop returns them', async () => {
  const { sender, clock } = senderOn([new TypeError('fetch failed')], { queue_events: 3 });
  for (const event_id of ['a', 'b', 'c']) sender.send(event({ event_id }));
  assert.throws(() => sender.send(event()), QueueFullError);
  const flushed = sender.flush();
  await clock.pass(5000);
  assert.deepEqual(
    sender.stop().map(({ event_id }) => event_id),
    ['a', 'b', 'c'],
  );
  await assert.rejects(flushed, { name: 'AbortError' });
  assert.throws(() => sender.send(event()), { name: 'AbortError' });
  assert.equal(clock.waiting, 0);
});

test('the first event waits for others unless the batch is full or flushed', async () => {
  const { bodies, clock, sender } = senderOn([stored(1)], { batch_events: 2, linger_ms: 20 });
  sender.send(event());
  await clock.pass(19);
  assert.equal(bodies.length, 0);
  await clock.pass(1);
  assert.equal(bodies.length, 1);
  sender.send(event());
  sender.send(event());
  await settle();
  assert.equal(bodies.length, 2);
  sender.send(event());
  await sender.flush();
  assert.equal(bodies.length, 3);
});

test('a flush resolves once the events queued before it are settled', async () => {
  const answers: (() => void)[] = [];
  const { sender } = senderOn(
    (ids) => new Promise((resolve) => answers.push(() => resolve(stored(ids.length)))),
    { batch_events: 2 },
  );
  const answer = () => {
    for (let i = 0; i < 2; i++) sender.send(event());
    answers.shift()!();
    return settle();
  };
  for (let i = 0; i < 3; i++) sender.send(event());
  let isFlushed = false;
  const flushed = sender.flush().then(() => {
    isFlushed = true;
  });
  await settle();
  await answer();
  assert.equal(isFlushed, false, 'the third event is not answered for');
  await answer();
  assert.equal(isFlushed, true, 'what came later is not waited for');
  await flushed;
  assert.deepEqual([sender.counts.stored, sender.waiting], [4, 3]);
  const stopped = sender.flush();
  sender.stop();
  await assert.rejects(stopped, { name: 'AbortError' });
});

test('a flush counts rejected events as settled, and resolves without events', async () => {
  const { sender } = senderOn([refused(403, 'forbidden')]);
  await sender.flush();
  sender.send(event());
  await sender.flush();
  assert.deepEqual([sender.counts.rejected, sender.waiting], [1, 0]);
  const { sender: strict } = senderOn([refused(403, 'forbidden')], { onRejected: () => strict.stop() });
  strict.send(event());
  await assert.rejects(strict.flush(), { name: 'AbortError' }, 'the callback stopped the sender');
});
