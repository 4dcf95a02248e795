/**
 * More than the writer takes: what would wait above the limits is refused, what waits is stored, and a writer
 * that cannot write says so. The writer is held up from outside, through SQLite's own write lock.
 */
import assert from 'node:assert/strict';
import { event, type Reply } from '../src/api-client.ts';
import { eventsQueued } from '../src/conditions.ts';
import { headerValues } from '../src/http-parser.ts';
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
      run: queueEvents,
    },
    {
      name: 'above --queue-bytes new bodies are refused',
      rules: ['ING-10', 'ING-08'],
      uses: 'each',
      run: queueBytes,
    },
    {
      name: 'a lock held for longer than the busy timeout is storage_busy',
      rules: ['STO-05', 'ING-08'],
      uses: 'each',
      waits: true,
      run: busy,
    },
  ],
};

async function queueEvents(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-events', '10', '--max-batch-events', '10'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = [1, 2].map(() =>
    client.post('/api/events/batch', { events: Array.from({ length: 5 }, () => event()) }),
  );
  await eventsQueued(client, 10);
  await requireOverloaded(client.post('/api/events', event()));
  await requireOverloaded(client.post('/api/events/batch', { events: [event()] }));
  const read = await client.get('/api/events');
  assert.equal(read.text, '{"events":[],"next":null}', 'reads go on');
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
  const big = event({ metadata: 'x'.repeat(50_000) });
  const first = client.post('/api/events', big);
  await eventsQueued(client, 1);
  await requireOverloaded(client.post('/api/events', big));
  const small = client.post('/api/events', event());
  await eventsQueued(client, 2);
  lock.release();
  await requireStored([first, small], 2);
  assert.equal((await client.post('/api/events', big)).status, 201, 'the queue is free again');
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
