/** Tests bytes that must be refused, against a tiny server: answers that count as a refusal, and others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '@twin-ingest/testkit/servers/tcp-server.ts';
import { refusalDifferences } from '../src/refusal.ts';

const BAD = 'bad\r\n\r\n';
const GOOD = 'GET / HTTP/1.1\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
const refused = (status: string) => `HTTP/1.1 ${status} x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;

test('400, 408, 414, 431 and a silent close are refusals', async () => {
  for (const answer of ['400', '408', '414', '431'].map(refused)) assert.deepEqual(await found(answer), []);
  assert.deepEqual(await found(''), []);
});

test('a 2xx, a 405, an answer after the refusal and a stored event are differences', async () => {
  for (const answer of [OK, refused('405'), `${refused('400')}${OK}`]) {
    const differences = await found(answer);
    assert.ok(differences.length >= 3, answer);
    assert.ok(differences.includes('alone') && differences.includes('with a request behind it'), answer);
  }
  assert.deepEqual(await found(refused('400'), 'one more'), ['stored']);
});

test('earlier requests are answered with 2xx', async () => {
  assert.deepEqual(await found(`${OK}${refused('400')}`, '', 1), []);
  assert.ok((await found(refused('400'), '', 1)).includes('alone'));
});

/**
 * Returns the places of the differences for a server with this answer; `more` is what it has stored in the meantime.
 */
async function found(answer: string, more = '', answered = 0): Promise<string[]> {
  let reads = 0;
  const server = await listen((socket) => {
    socket.once('data', (bytes) => {
      if (bytes.toString().startsWith('GET /api/events')) {
        const body = `{"events":[]}${reads++ === 0 ? '' : more}`;
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
      } else {
        socket.end(answer);
      }
    });
  });
  try {
    const bytes = Buffer.from(answered > 0 ? GOOD + BAD : BAD);
    const then = answered > 0 ? { refused: true, answered } : { refused: true };
    return (await refusalDifferences(server.port, bytes, then as { refused: true })).map(
      ({ where }) => where,
    );
  } finally {
    await server.close();
  }
}
