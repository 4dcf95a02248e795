/**
 * Tests overload: a request without room waits with its body unread and is refused after a time, and a writer that
 * cannot write is reported. An external process blocks the writer through SQLite's own write lock.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { announcesClose, Connection, compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { eventsQueued } from '../src/conditions.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const OVERLOAD: ScenarioFile = {
  name: 'overload',
  about: 'queues that are full, a writer that has to wait',
  scenarios: [
    {
      name: 'above --queue-events new events are refused',
      rules: ['ING-10', 'ING-08'],
      uses: 'each',
      waits: true,
      run: queueEvents,
    },
    {
      name: 'above --queue-bytes new bodies are refused',
      rules: ['ING-10', 'ING-08'],
      uses: 'each',
      waits: true,
      run: queueBytes,
    },
    {
      name: 'a body is not read while the queue is full',
      rules: ['ING-10', 'HTT-10'],
      uses: 'each',
      waits: true,
      run: unreadBody,
    },
    {
      name: 'a request without room is stored when there is room in time',
      rules: ['ING-10', 'ING-08'],
      uses: 'each',
      run: roomInTime,
    },
    {
      name: 'newer requests are stored before older ones when the oldest waits for long',
      rules: ['ING-10'],
      uses: 'each',
      waits: true,
      run: newestFirst,
    },
    {
      name: 'a burst of many times the queue is stored without a refusal',
      rules: ['ING-10'],
      uses: 'each',
      run: burst,
    },
    {
      name: 'a lock held for longer than the busy timeout is storage_busy',
      rules: ['STO-05', 'ING-08'],
      uses: 'each',
      waits: true,
      faults: ['F9'],
      run: busy,
    },
  ],
};

/** The tolerance of a timer. */
const TOLERANCE_MS = 50;

/** Starts a server whose queue of ten events is full, since the writer must wait. */
async function fullQueue(context: ScenarioContext): Promise<{
  server: RunningServer;
  client: ApiClient;
  lock: ReturnType<typeof holdWriteLock>;
  waiting: Promise<Reply>[];
}> {
  const server = await context.start({ flags: ['--queue-events', '10', '--max-batch-events', '10'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = [1, 2].map(() =>
    client.post('/api/events/batch', { events: Array.from({ length: 5 }, () => event()) }),
  );
  await eventsQueued(client, 10);
  return { server, client, lock, waiting };
}

async function queueEvents(context: ScenarioContext): Promise<void> {
  const { client, lock, waiting } = await fullQueue(context);
  const begun = performance.now();
  await Promise.all([
    requireOverloaded(client.post('/api/events', event())),
    requireOverloaded(client.post('/api/events/batch', { events: [event()] })),
  ]);
  const waitedMs = performance.now() - begun;
  assert.ok(waitedMs > LIMITS.admission_small_wait_ms - TOLERANCE_MS, `they waited ${waitedMs} ms for room`);
  assert.ok(waitedMs < LIMITS.admission_wait_ms, `a small body waits shorter, ${waitedMs} ms`);
  const read = await client.get('/api/events');
  assert.equal(read.text, '{"events":[],"next":null,"scanned_to":0}', 'reads go on');
  lock.release();
  await requireStored(waiting, 10);
  assert.equal((await client.post('/api/events', event())).status, 201, 'the queue is free again');
  const all = await client.get('/api/events?limit=1000');
  assert.equal(all.json<{ events: unknown[] }>().events.length, 11, 'nothing that was refused is stored');
}

async function queueBytes(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-bytes', '100000', '--max-body-bytes', '60000'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const big = event({ metadata: 'x'.repeat(55_000) });
  const first = client.post('/api/events', big);
  await eventsQueued(client, 1);
  // The oldest body that is being read ends from the reserve.
  const second = client.post('/api/events', big);
  await eventsQueued(client, 2);
  const third = requireOverloaded(client.post('/api/events', big));
  const small = client.post('/api/events', event());
  await third;
  await eventsQueued(client, 3);
  lock.release();
  await requireStored([first, second, small], 3);
  assert.equal((await client.post('/api/events', big)).status, 201, 'the queue is free again');
}

async function unreadBody(context: ScenarioContext): Promise<void> {
  const { server, lock, waiting } = await fullQueue(context);
  const connection = await Connection.open(server.port);
  context.atEnd(() => connection.close());
  const begun = performance.now();
  const answer = await connection.exchange(headOfBatch(server));
  const waitedMs = performance.now() - begun;
  assert.ok(waitedMs > LIMITS.admission_wait_ms - TOLERANCE_MS, `it waited ${waitedMs} ms for room`);
  lock.release();
  await requireStored(waiting, 10);
  assert.equal(answer.kind, 'response', 'it is answered although no byte of the body came');
  if (answer.kind !== 'response') return;
  assert.equal(answer.response.status, 503, answer.response.body.toString());
  assert.ok(announcesClose(answer.response), 'the connection ends, since the body is still to come');
  assert.ok(await connection.closedWithin(5_000));
}

/** Returns a request whose declared body is never sent. */
function headOfBatch(server: RunningServer): Outgoing {
  const headers = [
    ['host', `127.0.0.1:${server.port}`],
    ['content-type', 'application/json'],
    ['content-length', '100000'],
  ] as const;
  return compose('POST', '/api/events/batch', headers, Buffer.alloc(0));
}

async function roomInTime(context: ScenarioContext): Promise<void> {
  const { client, lock, waiting } = await fullQueue(context);
  const late = client.post('/api/events', event());
  assert.equal((await client.get('/livez')).status, 200);
  lock.release();
  await requireStored([...waiting, late], 11);
}

/** A body above `drain_body_bytes`, whose events take the whole queue. */
const WHOLE_QUEUE = { events: Array.from({ length: 10 }, () => event({ metadata: 'x'.repeat(7_000) })) };

async function newestFirst(context: ScenarioContext): Promise<void> {
  const { client, lock, waiting } = await fullQueue(context);
  const post = (): Promise<Reply> => client.post('/api/events/batch', WHOLE_QUEUE);
  // The first one in line waits in front.
  const front = post();
  await pause(TOLERANCE_MS);
  const oldest = post();
  await pause(TUNING.admission_order_ms + TOLERANCE_MS);
  const later: Promise<Reply>[] = [];
  for (let at = 1; at < WAITING; at++) {
    later.push(post());
    await pause(TOLERANCE_MS);
  }
  lock.release();
  const inOrder = [...waiting, front, oldest, ...later];
  const replies = await Promise.all(inOrder);
  const firstId = (reply: Reply): number => reply.json<{ ids: number[] }>().ids[0]!;
  // Bodies are read at the same time, so neighbours and the front may change places.
  const ids = replies.slice(waiting.length + 1).map(firstId);
  const sum = (some: readonly number[]): number => some.reduce((one, other) => one + other, 0);
  const [older, newer] = [sum(ids.slice(0, WAITING / 2)), sum(ids.slice(WAITING / 2))];
  assert.ok(newer < older, `ids of the requests from the oldest to the newest: ${ids.join(' ')}`);
  await requireStored(inOrder, 10 + 10 * (WAITING + 1));
}

/** Number of requests that wait behind the front. */
const WAITING = 12;

async function burst(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-events', '1000', '--max-batch-events', '100'] });
  const client = context.client(server);
  const batches = Array.from({ length: 200 }, () => ({ events: Array.from({ length: 100 }, () => event()) }));
  await requireStored(
    batches.map((batch) => client.post('/api/events/batch', batch)),
    20_000,
  );
}

async function busy(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const begun = performance.now();
  const reply = await client.post('/api/events', event());
  const ms = performance.now() - begun;
  assert.equal(reply.status, 503);
  assert.equal(reply.text, '{"error":"Storage is busy","code":"storage_busy"}');
  assert.deepEqual(headerValues(reply.headers, 'retry-after'), ['1']);
  assert.ok(ms > 4_000 && ms < 12_000, `after ${Math.round(ms)} ms`);
  lock.release();
  const after = await client.post('/api/events', event());
  assert.equal(after.status, 201, 'it goes on once the lock is free');
  const all = await client.get('/api/events');
  assert.equal(all.json<{ events: unknown[] }>().events.length, 1, 'nothing that was refused is stored');
}

async function requireOverloaded(request: Promise<Reply>): Promise<void> {
  const reply = await request;
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.text, '{"error":"Server is overloaded","code":"overloaded"}');
  assert.deepEqual(headerValues(reply.headers, 'retry-after'), ['1']);
}

async function requireStored(waiting: readonly Promise<Reply>[], count: number): Promise<void> {
  const replies = await Promise.all(waiting);
  assert.deepEqual(
    replies.map((reply) => reply.status),
    replies.map(() => 201),
  );
  const ids = replies.flatMap((reply) => reply.json<{ ids: number[] }>().ids);
  assert.equal(new Set(ids).size, count);
}
