/** Tests connections that post: responses in pieces of any size, each for its own request, and errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Connections } from '../src/sync/connections.ts';

/** Starts a server that passes each complete request to `onRequest`, with its socket. */
async function serve(t: TestContext, onRequest: (request: string, socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [, length] = text.startsWith('GET ')
        ? (/\r\n\r\n$()/.exec(text) ?? [])
        : (/Content-Length: (\d+)\r\n\r\n/.exec(text) ?? []);
      const end = text.indexOf('\r\n\r\n') + 4 + Number(length);
      if (length === undefined || text.length < end) return;
      const request = text.slice(0, end);
      text = text.slice(end);
      onRequest(Buffer.from(request, 'latin1').toString(), socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(body: string, status = '201 Created'): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function connected(t: TestContext, url: string, count: number): Connections {
  const connections = new Connections(url, count);
  t.after(() => connections.close());
  return connections;
}

test('a request is one that any server reads, and its answer is whole in whatever pieces it comes', async (t) => {
  const asked: string[] = [];
  const url = await serve(t, async (request, socket) => {
    asked.push(request);
    for (const byte of answer('{"revision":"7"}')) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
  });
  const connections = connected(t, url, 1);
  for (const body of ['{"a":"é"}', '{}'])
    assert.deepEqual(await connections.post('/api/events', body), { status: 201, text: '{"revision":"7"}' });
  const { host } = new URL(url);
  const head = `POST /api/events HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  assert.equal(asked[0]?.slice(0, head.length), head);
  assert.match(asked[0] ?? '', /Content-Length: 10\r\n\r\n\{"a":"é"\}$/);
  assert.deepEqual(await connections.get('/livez'), { status: 201, text: '{"revision":"7"}' });
  assert.equal(asked[2], `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
});

test('as many are under way as there are connections, and each gets its own answer', async (t) => {
  const held: [string, Socket][] = [];
  const url = await serve(t, (request, socket) => void held.push([request.slice(-1), socket]));
  const connections = connected(t, url, 2);
  const posts = ['1', '2', '3'].map((body) => connections.post('/', body));
  const release = async (count: number) => {
    while (held.length < count) await new Promise(setImmediate);
    for (const [body, socket] of held.splice(0).reverse()) socket.write(answer(body));
  };
  await release(2);
  assert.deepEqual(
    (await Promise.all(posts.slice(0, 2))).map(({ text }) => text),
    ['1', '2'],
  );
  await release(1);
  assert.equal((await posts[2]!).text, '3');
});

test('a connection that the server has closed is opened again; one that it closes in an answer is an error', async (t) => {
  let requests = 0;
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (_, socket) => {
    requests += 1;
    if (requests === 1) socket.once('close', () => closed.resolve()).end(answer('first'));
    else if (requests === 2) socket.end('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\nhalf');
    else socket.write(answer('third'));
  });
  const connections = connected(t, url, 1);
  assert.equal((await connections.post('/', '')).text, 'first');
  // Waits until both ends are closed. Otherwise the client might write to the old connection.
  await closed.promise;
  await assert.rejects(connections.post('/', ''), /closed before the answer/);
  assert.equal((await connections.post('/', '')).text, 'third');
});
