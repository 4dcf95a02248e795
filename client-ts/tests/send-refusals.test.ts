/** Tests batches that the server refuses: temporary and permanent failures, and the event that causes them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { Sender } from '../src/send.ts';
import { event, refused, senderOn, stored } from './fake-ingest.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-refusals-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Nested so deeply that the server refuses a body with it as JSON (BOD-01). */
const DEEP: unknown = JSON.parse(`${'['.repeat(130)}${']'.repeat(130)}`);

for (const name of TARGET_NAMES)
  test(`only the faulty events of a batch that ${name} refuses are rejected`, async () => {
    const flags = ['--db', join(folder, `${name}.db`), '--max-body-bytes', '20000'];
    const server = await startServer(name, { cwd: folder, flags });
    const rejected: string[] = [];
    const sender = new Sender({
      baseUrl: server.url,
      onRejected: ({ event_id }, problems) => rejected.push(`${event_id}: ${problems}`),
    });
    const ids = Array.from({ length: 100 }, (_, i) => {
      if (i === 3 || i === 4 || i === 99)
        return sender.send(event({ event_id: `deep-${i}`, metadata: DEEP }));
      if (i === 50) return sender.send(event({ event_id: 'large', metadata: 'x'.repeat(20_000) }));
      return sender.send(event());
    });
    await sender.flush();
    const response = await fetch(`${server.url}/api/events?limit=1000&after=0`);
    const { events } = (await response.json()) as { events: { event_id: string }[] };
    assert.deepEqual(
      events.map(({ event_id }) => event_id),
      ids.filter((_, i) => ![3, 4, 50, 99].includes(i)),
    );
    assert.deepEqual(rejected, [
      'deep-3: refused with 400 invalid_json',
      'deep-4: refused with 400 invalid_json',
      'large: refused with 413 payload_too_large',
      'deep-99: refused with 400 invalid_json',
    ]);
    assert.deepEqual({ ...sender.counts }, { stored: 96, duplicates: 0, rejected: 4 });
    sender.stop();
    await server.stop();
  });

test("a temporary failure is retried unchanged after growing waits, or the server's wait", async () => {
  const busy = refused(503, 'overloaded', { 'retry-after': '2' });
  const { bodies, clock, retries, sender } = senderOn([
    new TypeError('fetch failed'),
    refused(503, 'overloaded'),
    busy,
    stored(0, 1),
  ]);
  const id = sender.send(event());
  await clock.pass(60_000);
  assert.deepEqual(retries, [100, 200, 2000]);
  assert.equal(bodies.length, 4);
  assert.deepEqual(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
  assert.equal(bodies[0]!.events[0]!.event_id, id);
  assert.deepEqual([sender.counts.duplicates, sender.waiting], [1, 0]);
});

test('a wait may be a date; a past or malformed date means no wait', async (t) => {
  t.mock.method(Date, 'now', () => Date.parse('2026-02-18T18:06:41Z'));
  const busy = (date: string) => refused(503, 'overloaded', { 'retry-after': date });
  const { clock, retries, sender } = senderOn([
    busy('Wed, 18 Feb 2026 18:06:48 GMT'),
    busy('Wed, 18 Feb 2026 18:06:40 GMT'),
    busy('soon'),
    stored(1),
  ]);
  sender.send(event());
  await clock.pass(60_000);
  assert.deepEqual([retries, sender.counts.stored], [[7000, 200, 400], 1]);
});

test('a permanent refusal is reported for each event, and other events continue', async () => {
  const rejected: string[] = [];
  const { clock, sender } = senderOn([refused(403, 'forbidden'), stored(1)], {
    batch_events: 2,
    onRejected: (one, problems) => {
      rejected.push(`${one.event_id}: ${problems}`);
      throw new Error('an error of the callback');
    },
  });
  for (const event_id of ['a', 'b', 'c']) sender.send(event({ event_id }));
  await clock.pass(1000);
  assert.deepEqual(rejected, ['a: refused with 403 forbidden', 'b: refused with 403 forbidden']);
  assert.deepEqual([sender.counts.stored, sender.counts.rejected], [1, 2]);
});

for (const [status, code] of [
  [400, 'invalid_json'],
  [413, 'payload_too_large'],
] as const)
  test(`a batch refused with ${code} is halved down to the faulty event; the next batch is full again`, async () => {
    const rejected: (string | undefined)[] = [];
    const { sizes, clock, sender } = senderOn(
      (ids) => (ids.includes('bad') ? refused(status, code) : stored(ids.length)),
      { batch_events: 4, onRejected: (one) => rejected.push(one.event_id) },
    );
    for (const event_id of ['a', 'bad', 'c', 'd', 'e', 'f', 'g', 'h']) sender.send(event({ event_id }));
    await clock.pass(1000);
    assert.deepEqual(sizes(), [4, 2, 1, 1, 2, 4]);
    assert.deepEqual([rejected, sender.counts.stored, sender.waiting], [['bad'], 7, 0]);
  });

test("the server's latest event limit is remembered", async () => {
  let limit = 3;
  const { sizes, clock, sender } = senderOn(
    (ids) =>
      ids.length > limit
        ? refused(413, 'batch_too_large', {}, { limit, actual: ids.length })
        : stored(ids.length),
    { batch_events: 8 },
  );
  const send = (count: number) => {
    for (let i = 0; i < count; i++) sender.send(event());
    return clock.pass(1000);
  };
  await send(11);
  assert.deepEqual(sizes(), [8, 3, 3, 2, 3]);
  limit = 2;
  await send(4);
  assert.deepEqual(sizes().slice(5), [3, 2, 1, 1]);
  assert.deepEqual([sender.counts.stored, sender.counts.rejected], [15, 0]);
});

test('a part with a temporary failure is retried before the parts after it', async () => {
  let isDown = false;
  const { bodies, clock, retries, sender } = senderOn((ids) => {
    if (ids.includes('bad')) return refused(400, 'invalid_json');
    isDown = !isDown;
    return isDown ? refused(503, 'overloaded') : stored(ids.length);
  });
  for (const event_id of ['a', 'b', 'bad', 'd']) sender.send(event({ event_id }));
  await clock.pass(10_000);
  assert.deepEqual(
    bodies.map(({ events }) => events.map(({ event_id }) => event_id).join()),
    ['a,b,bad,d', 'a,b', 'a,b', 'bad,d', 'bad', 'd', 'd'],
  );
  assert.deepEqual([retries, sender.counts.stored, sender.counts.rejected], [[100, 100], 3, 1]);
});

test('a callback that throws does not prevent the next attempt', async () => {
  const { sizes, clock, sender } = senderOn([new TypeError('fetch failed'), stored(1)], {
    onState: () => {
      throw new Error('onState');
    },
  });
  sender.send(event());
  const flushed = sender.flush();
  await clock.pass(1000);
  await flushed;
  assert.deepEqual([sizes(), sender.counts.stored, sender.waiting], [[1, 1], 1, 0]);
});

test('a success without a result is retried, since no event is stored', async () => {
  const { sizes, clock, sender } = senderOn([Response.json({}), Response.json(null), stored(1)]);
  sender.send(event());
  await clock.pass(1000);
  assert.deepEqual([sizes(), sender.counts.stored], [[1, 1, 1], 1]);
});

test('a stop between the parts of a batch ends them', async () => {
  const { sizes, clock, sender } = senderOn(
    (ids) => (ids.includes('d') ? refused(400, 'invalid_json') : stored(ids.length)),
    { onRejected: () => sender.stop() },
  );
  for (const event_id of ['d', 'a', 'b', 'c']) sender.send(event({ event_id }));
  await clock.pass(1000);
  assert.deepEqual([sizes(), sender.waiting, clock.waiting], [[4, 2, 1], 0, 0]);
});
