/** Tests clean stops: received requests are answered, no traces remain, and the next start continues. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { eventsQueued, notAccepting } from '../src/conditions.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { snapshot } from '../src/snapshot.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const RESTART: ScenarioFile = {
  name: 'restart',
  about: 'clean stops and what they keep',
  sharesStreams: true,
  scenarios: [
    {
      name: 'SIGTERM answers received requests and leaves no log behind',
      rules: ['PRO-07', 'STO-04'],
      uses: 'each',
      faults: ['F20'],
      run: drain,
    },
    { name: 'SIGINT ends an idle server with 0', rules: ['PRO-07'], uses: 'each', run: interrupt },
    { name: 'SIGTERM ends the streams', rules: ['PRO-07'], uses: 'each', run: endStreams },
    {
      name: 'SIGTERM ends streams that wait for their readers, without leaked listeners',
      rules: ['PRO-07', 'STR-08'],
      uses: 'each',
      run: endWaitingStreams,
    },
    {
      name: 'a new request on an open connection is draining',
      rules: ['PRO-07', 'HEA-02'],
      uses: 'each',
      run: refuseNew,
    },
    { name: 'a second signal exits at once with 1', rules: ['PRO-07'], uses: 'each', run: secondSignal },
    {
      name: 'ids, duplicates, statistics, sessions and epoch continue',
      rules: ['PRO-08', 'EVT-13', 'STO-07'],
      uses: 'each',
      run: goOn,
    },
  ],
};

const LIMIT_MS = 5_000;
/** Number of events of 8 kB each. Together they exceed the buffers of a connection. */
const FILL_EVENTS = 2_000;
const FILL_BATCH = 200;
/** Number of turns. In each turn, the server waits many times while a slow reader catches up. */
const WAITS = 2;

async function drain(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  // Requests wait for the writer when the signal arrives.
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = [1, 2, 3].map((number) =>
    context.client(server).post('/api/events', event({ event_id: `w${number}` })),
  );
  await eventsQueued(client, 3);
  const begun = performance.now();
  server.signal('SIGTERM');
  await notAccepting(server.port);
  lock.release();
  const replies = await Promise.all(waiting);
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [201, 201, 201],
  );
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  assert.ok(performance.now() - begun < LIMIT_MS, 'within 5 s');
  const wal = `${context.db()}-wal`;
  assert.ok(!existsSync(wal) || statSync(wal).size === 0, 'no write-ahead log is left');
  assert.equal(server.stdout().split('\n').filter(Boolean).length, 1, 'one line on stdout');
}

async function interrupt(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  // An idle keep-alive connection must not delay the exit.
  await context.client(server).get('/livez');
  const begun = performance.now();
  server.signal('SIGINT');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  assert.ok(performance.now() - begun < LIMIT_MS, 'within 5 s');
}

async function endStreams(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const stream = await context.stream(server);
  await stream.waitFor(() => stream.frames.length > 0, 'the connected frame');
  const begun = performance.now();
  server.signal('SIGTERM');
  await stream.waitFor(() => stream.ended, 'the end of the stream');
  const ended = performance.now() - begun;
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const ms = performance.now() - begun;
  assert.ok(ms < LIMIT_MS, 'within 5 s');
  context.note(`the stream ended after ${Math.round(ended)} ms, the server after ${Math.round(ms)} ms`);
}

async function endWaitingStreams(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const quick = await context.stream(server);
  const slow = await Promise.all(Array.from({ length: 3 }, () => context.stream(server)));
  const padding = 'x'.repeat(8_000);
  let last = 0;
  const fill = async () => {
    for (let sent = 0; sent < FILL_EVENTS; sent += FILL_BATCH) {
      const events = Array.from({ length: FILL_BATCH }, () => event({ metadata: { padding } }));
      last = (await client.ingest(events)).ids.at(-1)!;
    }
    await quick.waitFor(() => quick.ids.at(-1) === last, 'all events at the quick reader', 20_000);
  };
  // In each turn, the server waits for the slow readers, and then stops waiting.
  for (let turn = 0; turn < WAITS; turn++) {
    for (const stream of slow) stream.pause();
    await fill();
    for (const stream of slow) {
      assert.notEqual(stream.ids.at(-1), last, 'a slow reader is behind, or this shows nothing');
      stream.resume();
    }
    for (const stream of slow)
      await stream.waitFor(() => stream.ids.at(-1) === last, 'all events at a slow reader', 20_000);
  }
  for (const stream of slow) stream.pause();
  await fill();
  const begun = performance.now();
  server.signal('SIGTERM');
  await quick.waitFor(() => quick.ended, 'the end of the quick stream');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const ms = performance.now() - begun;
  assert.ok(ms < LIMIT_MS, 'within 5 s');
  // Node prints a warning to stderr when event listeners accumulate.
  assert.doesNotMatch(server.stderr(), /Warning/);
  context.note(`the server ended after ${Math.round(ms)} ms`);
}

async function refuseNew(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = context.client(server).post('/api/events', event());
  // Half a request keeps its connection busy when the signal arrives.
  const connection = await Connection.open(server.port);
  context.atEnd(() => connection.close());
  const probe = compose('GET', '/readyz', [['host', '127.0.0.1']], Buffer.alloc(0));
  connection.write(probe.head.subarray(0, 8));
  await eventsQueued(context.client(server), 1);
  server.signal('SIGTERM');
  await notAccepting(server.port);
  const answer = await connection.exchange({ ...probe, head: probe.head.subarray(8) });
  lock.release();
  assert.equal((await waiting).status, 201);
  assert.equal(answer.kind, 'response');
  if (answer.kind !== 'response') return;
  assert.equal(answer.response.status, 503);
  assert.equal(answer.response.body.toString(), '{"error":"Server is shutting down","code":"draining"}');
  assert.deepEqual(headerValues(answer.response.headers, 'connection'), ['close']);
  assert.deepEqual(headerValues(answer.response.headers, 'retry-after'), ['1']);
  assert.deepEqual(await server.exited, { code: 0, signal: null });
}

async function secondSignal(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  // A request waits for the writer, so that a stop by the first signal alone takes time.
  const waiting = context
    .client(server)
    .post('/api/events', event())
    .catch(() => undefined);
  await eventsQueued(context.client(server), 1);
  server.signal('SIGTERM');
  await notAccepting(server.port);
  const begun = performance.now();
  server.signal('SIGTERM');
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  // With only the first signal, the server would wait for the lock longer than this.
  assert.ok(performance.now() - begun < 3_000, 'at once');
  await waiting;
}

async function goOn(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  const client = context.client(first);
  const events = Array.from({ length: 25 }, (_, index) =>
    event({
      event_id: `e${index}`,
      session_id: `s${index % 3}`,
      tool_name: `t${index % 2}`,
      tokens_in: index,
      cost_usd: 0.1,
    }),
  );
  const { ids } = await client.ingest(events);
  const before = await snapshot(client);
  await first.stop();
  const second = await context.start();
  const again = context.client(second);
  assert.deepEqual(await snapshot(again), before);
  const revision = String(ids.at(-1));
  assert.deepEqual(await again.ingest(events), {
    received: 0,
    ids: [],
    duplicates: 25,
    rejected: [],
    revision,
  });
  assert.deepEqual(await snapshot(again), before);
  const stream = await context.stream(second, `?after=${ids[20]}`);
  const next = await again.ingest([event()]);
  assert.ok(next.ids[0]! > ids.at(-1)!, 'ids go on');
  await stream.waitFor(() => stream.ids.includes(next.ids[0]!), 'the new event');
  assert.deepEqual(stream.ids, [...ids.slice(21), ...next.ids]);
}
