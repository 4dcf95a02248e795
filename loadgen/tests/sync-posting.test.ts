/**
 * Tests connections that post, and both ways to post one event at a time. Each post returns its revision, and one
 * failed post ends the measurement.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen as listenTcp } from '@twin-ingest/testkit/servers/tcp-server.ts';
import { Connection, eventText, postBySender, postBySocket, SMALL } from '../src/sync/posting.ts';
import { listen } from './listening-server.ts';

const EVENT = eventText({ ...SMALL, seed: 1 }, 0);
const TAKEN = { revision: '18446744073709551615', received: 1, duplicates: 0, rejected: [] };
const REJECTED = { ...TAKEN, received: 0, rejected: [{ index: 0, errors: ['no such event'] }] };

for (const [name, post, path, body] of [
  ['a plain socket', postBySocket, '/api/events', EVENT],
  ['the client’s Sender', postBySender, '/api/events/batch', `{"events":[${EVENT}]}`],
] as const) {
  /** Posts to a server that gives the same answer to every request. */
  const start = async (t: TestContext, status: number, answer: unknown) => {
    const text = JSON.stringify(answer);
    const server = await listen((_, response) => {
      const headers = { 'Content-Length': Buffer.byteLength(text), 'Retry-After': '0' };
      response.writeHead(status, headers).end(text);
    });
    const made = post(server.url);
    t.after(() => {
      made.close();
      server.close();
    });
    return { made, server };
  };

  test(`${name} posts an event as it is, once it is asked to, and says its revision`, async (t) => {
    const { made, server } = await start(t, 201, TAKEN);
    const send = made.ready(EVENT);
    assert.deepEqual(server.paths, []);
    for (const one of [send, made.ready(EVENT)]) assert.equal(await one(), 2n ** 64n - 1n);
    assert.deepEqual([server.paths, server.bodies], [Array(2).fill(path), Array(2).fill(body)]);
  });

  test(`${name} is refused, and does not post again`, async (t) => {
    const { made, server } = await start(t, 503, { error: { code: 'overloaded', message: 'later' } });
    await assert.rejects(made.ready(EVENT), { code: 'generator_failed', message: /503/ });
    assert.equal(server.paths.length, 1);
  });

  test(`an event that the server will never take fails by ${name} too`, async (t) => {
    const status = path.endsWith('batch') ? 200 : 400;
    const { made } = await start(t, status, REJECTED);
    await assert.rejects(made.ready(EVENT), /no such event/);
  });
}

test('a connection sends what any server reads, and opens again after the server closed it', async (t) => {
  const asked: string[] = [];
  const bodies = ['first', 'second', 'third'];
  const server = await listenTcp((socket) => {
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
