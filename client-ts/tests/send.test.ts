/** Sending: each event stored once, whatever becomes of the server and of single answers in between. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type RunningServer, startServer } from '../../parity-tests/src/server.ts';
import { TARGET_NAMES, type TargetName } from '../../parity-tests/src/targets.ts';
import type { Fetch } from '../src/fetch.ts';
import { type OutgoingEvent, QueueFullError, Sender, type SenderOptions } from '../src/send.ts';
import { FakeClock, settle } from './fake-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-send-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const event = (fields: Partial<OutgoingEvent> = {}): OutgoingEvent => ({
  session_id: 's',
  agent_type: 'agent',
  event_type: 'tool_use',
  ...fields,
});
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
  test(`events reach ${name} in batches, in their order, and what it does not take is told`, async () => {
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
    // A hundred at once were too many: they came in halves.
    assert.deepEqual({ ...sender.counts }, { stored: 96, duplicates: 1, rejected: 1 });
    sender.stop();
    await server.stop();
  });

  test(`a kill of ${name} and a restart in mid-flight lose nothing and double nothing`, async () => {
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

/** A server of answers, one after the other; the last for ever. */
function answering(...answers: readonly (Response | Error)[]) {
  const bodies: { events: OutgoingEvent[] }[] = [];
  const fetch: Fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init.body)) as { events: OutgoingEvent[] });
    const answer = answers[Math.min(bodies.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer.clone() as Response;
  };
  return { bodies, fetch };
}
const stored = (received: number, duplicates = 0) =>
  Response.json({ received, ids: [], duplicates, rejected: [] }, { status: 201 });
const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: code, code }, { status, headers });

/** A sender with time of its own. */
function senderOn(answers: readonly (Response | Error)[], options: SenderOptions = {}) {
  const clock = new FakeClock();
  const server = answering(...answers);
  const retries: number[] = [];
  const onRetry = (_: unknown, wait_ms: number) => retries.push(wait_ms);
  const sender = new Sender({ ...server, clock, random: () => 1, onRetry, ...options });
  return { ...server, clock, retries, sender };
}

test('what fails for now is sent again, the same, after longer and longer, or as long as the server asks', async () => {
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

test('a refusal that stays is told for each event, and the rest goes on', async () => {
  const rejected: string[] = [];
  const { clock, sender } = senderOn([refused(403, 'forbidden'), stored(1)], {
    batch_events: 2,
    onRejected: (one, problems) => {
      rejected.push(`${one.event_id}: ${problems}`);
      throw new Error('whoever hears of it may throw');
    },
  });
  for (const event_id of ['a', 'b', 'c']) sender.send(event({ event_id }));
  await clock.pass(1000);
  assert.deepEqual(rejected, ['a: refused with 403 forbidden', 'b: refused with 403 forbidden']);
  assert.deepEqual([sender.counts.stored, sender.counts.rejected], [1, 2]);
});

test('one event that is too large alone is told; others are halved until they fit', async () => {
  const tooLarge = refused(413, 'payload_too_large');
  const rejected: (string | undefined)[] = [];
  const { bodies, clock, sender } = senderOn([tooLarge, tooLarge, tooLarge, stored(1)], {
    onRejected: (one) => rejected.push(one.event_id),
  });
  for (const event_id of ['a', 'b', 'c', 'd']) sender.send(event({ event_id }));
  await clock.pass(1000);
  assert.deepEqual(
    bodies.map(({ events }) => events.length),
    [4, 2, 1, 1, 1, 1],
  );
  assert.deepEqual([rejected, sender.counts.stored], [['a'], 3]);
});

test('events that wait are bounded, and a stop hands them back', async () => {
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

test('the first waits for others, but not when a batch is full or somebody flushes', async () => {
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

test('a page that goes away sends what fits into a request that outlives it', async () => {
  const page = new EventTarget();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'addEventListener');
  const value = page.addEventListener.bind(page);
  Object.defineProperty(globalThis, 'addEventListener', { value, configurable: true });
  try {
    const sent: RequestInit[] = [];
    const fetch: Fetch = async (_, init) => {
      sent.push(init);
      return stored(1);
    };
    const sender = new Sender({ fetch, clock: new FakeClock() });
    sender.send(event({ event_id: 'large', metadata: 'x'.repeat(70_000) }));
    sender.send(event({ event_id: 'small' }));
    page.dispatchEvent(new Event('pagehide'));
    assert.equal(sent.length, 1);
    assert.equal(sent[0]!.keepalive, true);
    const { events } = JSON.parse(String(sent[0]!.body)) as { events: OutgoingEvent[] };
    assert.deepEqual(
      events.map(({ event_id }) => event_id),
      ['small'],
    );
    sender.stop();
    page.dispatchEvent(new Event('pagehide'));
    assert.equal(sent.length, 1);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'addEventListener');
    else Object.defineProperty(globalThis, 'addEventListener', before);
  }
});
