/** Tests clients that stop sending, and more clients than a server accepts. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const TIMEOUTS: ScenarioFile = {
  name: 'timeouts',
  about: 'silent clients and too many of them',
  scenarios: [
    {
      name: 'missing headers lead to a silent close',
      rules: ['HTT-11'],
      uses: 'each',
      waits: true,
      faults: ['F15'],
      run: noHeaders,
    },
    {
      name: 'a body that does not go on is 408',
      rules: ['HTT-11'],
      faults: ['F15'],
      uses: 'each',
      waits: true,
      run: noBody,
    },
    {
      name: 'a slow but steady body is accepted',
      rules: ['HTT-11'],
      uses: 'each',
      waits: true,
      run: slowBody,
    },
    {
      name: 'a request that takes 60 s in all is 408, an idle connection is closed after 75 s',
      rules: ['HTT-11'],
      uses: 'each',
      waits: true,
      run: longLimits,
    },
    { name: 'the connection above 1,024 is refused', rules: ['HTT-12'], uses: 'each', run: tooMany },
  ],
};

const NOTHING: Outgoing = {
  method: 'GET',
  head: Buffer.alloc(0),
  body: Buffer.alloc(0),
  awaitContinue: false,
};
/** The time-out of 10 s with a tolerance for a busy machine. */
const DEADLINE_MS = 15_000;

async function noHeaders(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await Promise.all(
    ['GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sl', 'GE'].map(async (start) => {
      const connection = await open(context, server.port);
      const begun = performance.now();
      connection.write(start);
      const answer = await connection.exchange(NOTHING, DEADLINE_MS);
      assert.equal(answer.kind, 'silent', start);
      requireTenSeconds(begun, start);
    }),
  );
}

async function noBody(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const connection = await open(context, server.port);
  const begun = performance.now();
  connection.write(
    'POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"se',
  );
  const answer = await connection.exchange(NOTHING, DEADLINE_MS);
  requireTenSeconds(begun, 'body');
  assert.equal(answer.kind, 'response');
  if (answer.kind !== 'response') return;
  assert.equal(answer.response.status, 408);
  assert.equal(
    answer.response.body.toString(),
    '{"error":"The request took too long","code":"request_timeout"}',
  );
  assert.deepEqual(headerValues(answer.response.headers, 'connection'), ['close']);
  assert.ok(await connection.closedWithin(5_000), 'closed');
  assert.equal(
    (await context.client(server).get('/api/events')).text,
    '{"events":[],"next":null,"scanned_to":0}',
  );
}

async function slowBody(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const connection = await open(context, server.port);
  const body = JSON.stringify(event());
  connection.write(
    `POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const answer = connection.exchange(NOTHING, 30_000);
  // Sends three pieces 5 s apart. They take more than 10 s in total, but a byte comes at least every 10 s.
  for (const piece of [body.slice(0, 10), body.slice(10, 20), body.slice(20)]) {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    connection.write(piece);
  }
  const end = await answer;
  assert.equal(end.kind === 'response' && end.response.status, 201);
}

async function longLimits(context: ScenarioContext): Promise<void> {
  if (!context.options.slow) context.skip('takes 75 s: run it with --slow');
  const server = await context.start();
  await Promise.all([wholeRequest(context, server.port), idleConnection(context, server.port)]);
}

async function wholeRequest(context: ScenarioContext, port: number): Promise<void> {
  const connection = await open(context, port);
  const begun = performance.now();
  connection.write(
    'POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n',
  );
  const drip = setInterval(() => connection.write(' '), 3_000);
  const answer = await connection.exchange(NOTHING, 70_000).finally(() => clearInterval(drip));
  const ms = performance.now() - begun;
  assert.equal(answer.kind === 'response' && answer.response.status, 408);
  assert.ok(ms > 58_000 && ms < 66_000, `after ${Math.round(ms)} ms`);
}

async function idleConnection(context: ScenarioContext, port: number): Promise<void> {
  const connection = await open(context, port);
  const request = { ...NOTHING, head: Buffer.from('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n') };
  assert.equal((await connection.exchange(request)).kind, 'response');
  const begun = performance.now();
  assert.ok(await connection.closedWithin(82_000), 'closed at last');
  const ms = performance.now() - begun;
  assert.ok(ms > 73_000, `after ${Math.round(ms)} ms`);
  assert.equal(connection.unread.length, 0, 'a silent close');
}

async function tooMany(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const connections = await Promise.all(Array.from({ length: 1_024 }, () => open(context, server.port)));
  const extra = await open(context, server.port);
  const answer = await extra.exchange(NOTHING, 5_000);
  assert.equal(answer.kind, 'response', 'an answer before anything was sent');
  if (answer.kind !== 'response') return;
  assert.equal(answer.response.status, 503);
  assert.equal(answer.response.body.toString(), '{"error":"Server is overloaded","code":"overloaded"}');
  assert.deepEqual(headerValues(answer.response.headers, 'connection'), ['close']);
  assert.deepEqual(headerValues(answer.response.headers, 'retry-after'), ['1']);
  assert.ok(await extra.closedWithin(5_000), 'closed');
  for (const connection of connections.slice(0, 10)) connection.close();
  await until(async () => {
    const again = await open(context, server.port);
    const reply = await again.exchange({
      ...NOTHING,
      head: Buffer.from('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    });
    return reply.kind === 'response' && reply.response.status === 200;
  }, 'a place of those that left');
}

function requireTenSeconds(begun: number, what: string): void {
  const ms = performance.now() - begun;
  assert.ok(ms > 9_000 && ms < DEADLINE_MS, `${what}: after ${Math.round(ms)} ms`);
}

async function open(context: ScenarioContext, port: number): Promise<Connection> {
  const connection = await Connection.open(port);
  context.atEnd(() => connection.close());
  return connection;
}
