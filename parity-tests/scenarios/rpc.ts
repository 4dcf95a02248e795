/**
 * Tests typed calls beyond one exchange: long calls next to other requests, any spelling of a value, reads compared
 * with their routes, a full queue.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type ApiClient, event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { eventsQueued } from '../src/conditions.ts';
import { memoryMb, memoryWithin } from '../src/process-figures.ts';
import { callBody, postCall, type TimedReply } from '../src/rpc-calls.ts';
import { breakOne, randomDict, respelled } from '../src/rpc-spellings.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const RPC: ScenarioFile = {
  name: 'rpc',
  about: 'typed calls: long ones, any spelling, reads, a full queue',
  sharesStreams: true,
  scenarios: [
    {
      name: 'a call returns 100,000 nested dicts while other requests are answered',
      rules: ['RPC-01', 'RPC-04', 'RPC-07', 'BOD-05'],
      uses: 'each',
      measures: true,
      run: longCalls,
    },
    {
      name: 'a call returns the longest values in both formats',
      rules: ['RPC-04'],
      uses: 'each',
      run: longestValues,
    },
    {
      name: 'any spelling of a value gives the same result',
      rules: ['RPC-03', 'RPC-04'],
      uses: 'each',
      run: spellings,
    },
    {
      name: 'reads return the text of their routes',
      rules: ['RPC-05'],
      uses: 'each',
      run: reads,
    },
    {
      name: 'events of a call that find no room are refused by themselves',
      rules: ['RPC-05', 'ING-10'],
      uses: 'each',
      waits: true,
      run: noRoom,
    },
    {
      name: 'the time of a call excludes the work of its method',
      rules: ['RPC-07'],
      uses: 'each',
      waits: true,
      run: timing,
    },
  ],
};

const NESTED_DICTS = 100_000;
const ROUNDS = 6;
const WARM_UP_CALLS = 1000;
/**
 * Smallest time limit, for a busy machine. A server that is blocked by a read would need the time of the whole call.
 */
const LEAST_BOUND_MS = 1000;
/**
 * Within `BACK_MS`, the server's memory must fall to this multiple of its earlier value. TypeScript keeps 1.07 to 1.3
 * times, since V8 keeps pages; six results that stay would be 190 MB more. V8 returns the pages of the ended thread
 * after 8 to 10 s, and later on a busy machine.
 */
const MOST_SHARE = 1.5;
const BACK_MS = 30_000;

async function longCalls(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--bench'] });
  const items = Array.from({ length: NESTED_DICTS }, (_, index) => nestedDict(index));
  const text = JSON.stringify(items);
  const body = callBody('echo.nestedDicts', `[${text}]`);
  const expected = Buffer.from(`{"jsonrpc":"2.0","result":${text},"id":1}`);
  const client = context.client(server);
  for (let call = 0; call < WARM_UP_CALLS; call++) {
    await client.post('/api/rpc', { jsonrpc: '2.0', method: 'echo.long', params: [call], id: 1 });
  }
  const hasMemory = existsSync('/proc/self/status');
  const beforeMb = hasMemory ? memoryMb(server.pid, 'VmRSS') : 0;
  for (let round = 0; round < ROUNDS; round++) {
    let isDone = false;
    const livez = slowestLivez(client, () => isDone);
    const reply = await postCall(server.port, body);
    isDone = true;
    const livezMs = await livez;
    assert.equal(reply.status, 200);
    assert.ok(expected.equals(reply.body), 'every byte came back');
    context.note(`${Math.round(reply.ms)} ms, ${timingOf(reply)}, /livez within ${Math.round(livezMs)} ms`);
    const boundMs = Math.max(LEAST_BOUND_MS, libraryMs(reply));
    assert.ok(livezMs < boundMs, `/livez took ${Math.round(livezMs)} ms`);
  }
  if (!hasMemory) return;
  const afterMb = await memoryWithin(server.pid, beforeMb * MOST_SHARE, BACK_MS);
  context.note(`${Math.round(beforeMb)} MB before, ${Math.round(afterMb)} MB after`);
  assert.ok(afterMb <= beforeMb * MOST_SHARE, `${Math.round(afterMb)} MB, ${Math.round(beforeMb)} MB before`);
}

/** Sends requests repeatedly, and resolves with the longest wait for an answer. */
async function slowestLivez(client: ApiClient, isDone: () => boolean): Promise<number> {
  let slowestMs = 0;
  while (!isDone()) {
    const begun = performance.now();
    assert.equal((await client.get('/livez')).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }
  return slowestMs;
}

function nestedDict(index: number): object {
  const nested = { str: `${'é日k'.repeat(20)}${index}`, d: index * 1e-7, b: false };
  return { topStr: `${'abcdefghij'.repeat(9)}${index}`, topD: index / 7, topB: index % 2 === 0, nested };
}

async function longestValues(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--bench'] });
  const texts = ['x'.repeat(1 << 20), '😀'.repeat(1 << 18), 'é'.repeat(1 << 19), '"\\'.repeat(1 << 19)];
  const longs = Array.from({ length: LIMITS.rpc_sequence_items }, (_, index) => index * 7 - 500_000);
  const values = [
    ...texts.map((value) => ['echo.DOMString', value] as const),
    ['echo.DOMStrings', texts] as const,
    ['echo.longs', longs] as const,
  ];
  for (const [method, value] of values) {
    const body = callBody(method, `[${JSON.stringify(value)}]`);
    const reply = await postCall(server.port, body);
    const expected = `{"jsonrpc":"2.0","result":${JSON.stringify(value)},"id":1}`;
    assert.ok(Buffer.from(expected).equals(reply.body), `${method} in JSON`);
    const packed = await postCall(server.port, body, { accept: 'application/msgpack' });
    const again = await postCall(server.port, packedCall(method, packed.body), {
      'content-type': 'application/msgpack',
    });
    assert.ok(Buffer.from(expected).equals(again.body), `${method} by way of MessagePack`);
  }
}

/** Returns a MessagePack call whose argument is the result of a MessagePack response. */
function packedCall(method: string, response: Buffer): Buffer {
  // A response is a map of three members: `jsonrpc`, `result` and `id`, which is 1.
  const before = Buffer.from('\x83\xa7jsonrpc\xa32.0\xa6result', 'latin1');
  const behind = Buffer.from('\xa2id\x01', 'latin1');
  assert.ok(response.subarray(0, before.length).equals(before));
  assert.ok(response.subarray(-behind.length).equals(behind));
  const value = response.subarray(before.length, -behind.length);
  const name = Buffer.from(method);
  const head = Buffer.from(
    `\x84\xa7jsonrpc\xa32.0\xa6method${String.fromCharCode(0xa0 | name.length)}`,
    'latin1',
  );
  return Buffer.concat([head, name, Buffer.from('\xa6params\x91', 'latin1'), value, behind]);
}

const SPELLED = 400;
const SEED = 20_261_125;

async function spellings(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--bench'] });
  const client = context.client(server);
  const random = seededRandom(SEED);
  for (let round = 0; round < SPELLED; round++) {
    const items = Array.from({ length: random.below(4) }, () => randomDict(random));
    // About every tenth value has a fault.
    if (random.chance(0.1) && items.length > 0) breakOne(random, items[random.below(items.length)]!);
    const usual = await send(client, JSON.stringify(items));
    const unusual = await send(client, respelled(random, items));
    assert.equal(unusual.text, usual.text, JSON.stringify(items));
  }
}

function send(client: ApiClient, items: string): Promise<Reply> {
  return client.send('POST', '/api/rpc', callBody('echo.nestedDicts', `[${items}]`), []);
}

async function reads(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const metadata = { b: [1, 'é\u2028'], a: { x: null } };
  const events = Array.from({ length: 30 }, (_, index) => {
    const status = index % 7 === 0 ? 'error' : 'success';
    return event({
      session_id: `s ${index % 3}`,
      tool_name: `t${index % 4}`,
      tokens_in: index,
      status,
      metadata,
    });
  });
  await client.ingest(events);
  const pairs: [path: string, method: string, params: string][] = [
    ['/api/events', 'events.query', '[]'],
    ['/api/events?limit=7', 'events.query', '[{"limit":7}]'],
    ['/api/events?limit=7&before=20', 'events.query', '[{"before":"20","limit":"7"}]'],
    ['/api/events?after=3&limit=5', 'events.query', '[{"limit":5,"after":3}]'],
    ['/api/events?session_id=s+1&tool_name=t2', 'events.query', '[{"session_id":"s 1","tool_name":"t2"}]'],
    ['/api/events?status=error&order=asc', 'events.query', '[{"status":"error","order":"asc"}]'],
    ['/api/stats', 'stats.get', '[]'],
    ['/api/stats?agent_type=agent', 'stats.get', '[{"agent_type":"agent"}]'],
    ['/api/sessions', 'sessions.list', '[null]'],
    ['/api/sessions?limit=2', 'sessions.list', '[{"limit":2}]'],
    ['/api/sessions?exclude_status=active', 'sessions.list', '[{"exclude_status":"active"}]'],
    ['/api/snapshot/events?limit=4', 'snapshot.get', '["events",{"limit":4}]'],
    ['/api/snapshot/events?since=28', 'snapshot.get', '["events",{"since":28}]'],
    ['/api/snapshot/events?since=1&limit=3', 'snapshot.get', '["events",{"since":"1","limit":3}]'],
    ['/api/snapshot/stats', 'snapshot.get', '["stats"]'],
    ['/api/snapshot/sessions?limit=1', 'snapshot.get', '["sessions",{"limit":1}]'],
    ['/api/snapshot/session:s%201', 'snapshot.get', '["session:s 1"]'],
  ];
  for (const [path, method, params] of pairs) {
    const route = await client.get(path);
    assert.equal(route.status, 200, route.text);
    const call = await client.send('POST', '/api/rpc', callBody(method, params), []);
    assert.equal(call.text, `{"jsonrpc":"2.0","result":${route.text},"id":1}`, path);
  }
  const calls = pairs.map(([, method, params]) => callBody(method, params).toString());
  const batch = await client.send('POST', '/api/rpc', Buffer.from(`[${calls.join(',')}]`), []);
  assert.equal(batch.json<unknown[]>().length, pairs.length);
}

async function noRoom(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-events', '10', '--max-batch-events', '10'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const five = Array.from({ length: 5 }, () => event());
  const waiting = client.post('/api/events/batch', { events: five });
  await eventsQueued(client, 5);
  // Without a declared length, a body counts as one event, so the server reads it. Its six events exceed the queue.
  const ingest = callBody('events.ingest', JSON.stringify([[...five, event()]])).toString();
  const read = callBody('events.query', '[]').toString();
  const reply = await postCall(server.port, Buffer.from(`[${ingest},${read}]`), {
    'transfer-encoding': 'chunked',
  });
  const data = '{"error":"Server is overloaded","code":"overloaded"}';
  const error = `{"code":-32000,"message":"Server error","data":${data}}`;
  const results = [
    `{"jsonrpc":"2.0","error":${error},"id":1}`,
    '{"jsonrpc":"2.0","result":{"events":[],"next":null,"scanned_to":0},"id":1}',
  ];
  assert.equal(reply.body.toString(), `[${results.join(',')}]`);
  lock.release();
  assert.equal((await waiting).status, 201);
  const after = await client.send('POST', '/api/rpc', Buffer.from(ingest), []);
  assert.match(after.text, /^\{"jsonrpc":"2\.0","result":\{"received":6,/, 'the queue is free again');
}

async function timing(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const begun = performance.now();
  const reply = await postCall(server.port, callBody('snapshot.get', '["stats",{"wait":5}]'));
  assert.ok(performance.now() - begun > LIMITS.snapshot_wait_ms - 50, 'the method waited');
  const ms = libraryMs(reply);
  assert.ok(ms < LIMITS.snapshot_wait_ms / 2, `${ms} ms`);
}

function libraryMs(reply: TimedReply): number {
  return Number(/^lib;dur=(\d+\.\d{3})$/.exec(timingOf(reply))?.[1]);
}

function timingOf({ headers }: TimedReply): string {
  return headerValues(headers, 'server-timing')[0] ?? '';
}
