/**
 * Tests connections that post, and both ways to post one event at a time. Each post returns its revision, and one
 * failed post ends the measurement.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { listen } from '@twin-ingest/testkit/servers/tcp-server.ts';
import { BenchFailure } from '../src/failure.ts';
import { eventText, SMALL } from '../src/sync/bodies.ts';
import { Connection } from '../src/sync/connection.ts';
import { type Posting, postBySender, postBySocket } from '../src/sync/posting.ts';

const EVENT = eventText({ ...SMALL, seed: 1 }, 0);
const TAKEN = { revision: '18446744073709551615', received: 1, duplicates: 0, rejected: [] };
const PROBLEM = {
  revision: '7',
  received: 0,
  duplicates: 0,
  rejected: [{ index: 0, errors: ['no such event'] }],
};

interface Asked {
  readonly url: string | undefined;
  readonly body: string;
}

/** Starts a server that gives the same answer to every request. */
async function serve(
  t: TestContext,
  status: number,
  answer: unknown,
): Promise<[url: string, asked: Asked[]]> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    asked.push({ url: request.url, body });
    const text = JSON.stringify(answer);
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(text), 'Retry-After': '0' }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked];
}

function posting(t: TestContext, made: Posting): Posting {
  t.after(() => made.close());
  return made;
}

for (const [name, post, path, body] of [
  ['a plain socket', postBySocket, '/api/events', EVENT],
  ['the client’s Sender', postBySender, '/api/events/batch', `{"events":[${EVENT}]}`],
] as const) {
  test(`${name} posts an event as it is, once it is asked to, and says its revision`, async (t) => {
    const [url, asked] = await serve(t, 201, TAKEN);
    const made = posting(t, post(url));
    const send = made.ready(EVENT);
    assert.deepEqual(asked, []);
    assert.equal(await send(), 2n ** 64n - 1n);
    assert.equal(await made.ready(EVENT)(), 2n ** 64n - 1n);
    assert.deepEqual(asked, [
      { url: path, body },
      { url: path, body },
    ]);
  });

  test(`${name} is refused, and does not post again`, async (t) => {
    const [url, asked] = await serve(t, 503, { error: { code: 'overloaded', message: 'later' } });
    const made = posting(t, post(url));
    await assert.rejects(made.ready(EVENT), (error) => {
      assert.ok(error instanceof BenchFailure);
      assert.equal(error.code, 'generator_failed');
      assert.match(error.message, /503/);
      return true;
    });
    assert.equal(asked.length, 1);
  });
}

test('an event that the server will never take fails by the Sender too', async (t) => {
  const [url] = await serve(t, 200, PROBLEM);
  await assert.rejects(posting(t, postBySender(url)).ready(EVENT), /no such event/);
});

test('a connection sends what any server reads, and opens again after the server closed it', async (t) => {
  const asked: string[] = [];
  const bodies = ['first', 'second', 'third'];
  const server = await listen((socket) => {
    socket.on('data', (chunk) => {
      const body = bodies[asked.push(chunk.toString()) - 1]!;
      const answer = `HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      // The second answer is cut.
      if (body === 'second') socket.end(answer.slice(0, -1));
      else socket.write(answer);
    });
  });
  t.after(() => server.close());
  const connection = new Connection(`http://127.0.0.1:${server.port}`);
  t.after(() => connection.close());
  assert.deepEqual(await connection.post('/api/events', '{"a":"é"}'), { status: 201, text: 'first' });
  await assert.rejects(connection.get('/livez'), /closed before the answer/);
  assert.equal((await connection.get('/livez')).text, 'third');
  const host = `Host: 127.0.0.1:${server.port}\r\n`;
  const length = 'Content-Type: application/json\r\nContent-Length: 10\r\n';
  assert.equal(asked[0], `POST /api/events HTTP/1.1\r\n${host}${length}\r\n{"a":"é"}`);
  assert.equal(asked[1], `GET /livez HTTP/1.1\r\n${host}\r\n`);
});
