/** Tests undici's requests and answers in Node against `fetch` in a browser: callers must not see a difference. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { BodyReader, Fetch, RequestOptions } from '../src/fetch.ts';
import { runtimeFetch as browserFetch } from '../src/fetch.ts';
import { runtimeFetch as nodeFetch } from '../src/fetch-node.ts';
import { serverOf } from '../src/server.ts';

const OPTIONS: RequestOptions = { headers: {}, signal: null };

/** Starts a server that counts its connections. It stops with the test. */
async function serving(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counts = { connections: 0 };
  server.on('connection', () => counts.connections++);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts };
}

const both = (name: string, run: (t: TestContext, fetch: Fetch) => Promise<void>) => {
  for (const [kind, fetch] of [
    ['undici', nodeFetch],
    ['fetch', browserFetch],
  ] as const)
    test(`${kind}: ${name}`, (t) => run(t, fetch));
};

test('the client uses undici in Node by default', () => {
  assert.equal(serverOf({ baseUrl: 'http://127.0.0.1:1' }).fetch, nodeFetch);
  assert.equal(serverOf({ fetch: browserFetch }).fetch, browserFetch);
});

both('requests and answers keep their method, status, headers and body', async (t, fetch) => {
  const { url } = await serving(t, async (request, response) => {
    const chunks = await request.toArray();
    const { method, headers } = request;
    response.writeHead(201, { 'X-Twice': ['a', 'b'], 'content-type': 'application/json' });
    const { authorization = null, 'content-length': length = null } = headers;
    response.end(JSON.stringify({ method, authorization, length, body: Buffer.concat(chunks).toString() }));
  });
  const answer = await fetch(`${url}/any`, {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body: '{"ü":1}',
    signal: null,
  });
  assert.deepEqual([answer.status, answer.ok], [201, true]);
  assert.equal(answer.headers.get('x-twice'), 'a, b');
  assert.equal(answer.headers.get('X-TWICE'), 'a, b');
  assert.equal(answer.headers.get('etag'), null);
  assert.deepEqual(await answer.json(), {
    method: 'POST',
    authorization: 'Bearer x',
    length: '8',
    body: '{"ü":1}',
  });
  const got = await fetch(url, OPTIONS);
  assert.deepEqual(await got.json(), { method: 'GET', authorization: null, length: null, body: '' });
});

both(
  'a connection stays open after an unread answer and after an answer without a body',
  async (t, fetch) => {
    let answers = 0;
    const { url, counts } = await serving(t, (_, response) => {
      answers++;
      if (answers % 2 === 1) response.writeHead(304).end();
      else response.end('{}');
    });
    for (let i = 0; i < 3; i++) {
      const unchanged = await fetch(url, OPTIONS);
      assert.deepEqual([unchanged.status, unchanged.ok], [304, false]);
      // The connection becomes free one turn after the end of the body.
      await new Promise(setImmediate);
      assert.deepEqual(await (await fetch(url, OPTIONS)).json(), {});
      await new Promise(setImmediate);
    }
    assert.deepEqual([answers, counts.connections], [6, 1]);
  },
);

both('chunks are read as they arrive, and a reader that stops closes the connection', async (t, fetch) => {
  const closed = Promise.withResolvers<void>();
  const { url } = await serving(t, (_, response) => {
    response.write('first');
    response.on('close', closed.resolve);
  });
  const reader = (await fetch(url, OPTIONS)).body!.getReader();
  const { done, value } = await reader.read();
  assert.deepEqual([done, Buffer.from(value!).toString()], [false, 'first']);
  const next = reader.read().catch(() => undefined);
  await reader.cancel();
  await closed.promise;
  await next;
});

both('a body that has ended stays ended', async (t, fetch) => {
  const { url } = await serving(t, (_, response) => response.end('all'));
  const reader = (await fetch(url, OPTIONS)).body!.getReader();
  assert.equal((await reader.read()).done, false);
  assert.equal((await reader.read()).done, true);
  assert.equal((await reader.read()).done, true);
});

both('a signal aborts a request or the reading of a body, with its reason', async (t, fetch) => {
  const begun = Promise.withResolvers<void>();
  const { url } = await serving(t, (request, response) => {
    if (request.url === '/body') response.write('{');
    begun.resolve();
  });
  const over = AbortSignal.abort(new Error('before'));
  await assert.rejects(fetch(url, { ...OPTIONS, signal: over }), { message: 'before' });

  const waiting = new AbortController();
  const asked = fetch(url, { ...OPTIONS, signal: waiting.signal });
  await begun.promise;
  waiting.abort(new Error('while it waits'));
  await assert.rejects(asked, { message: 'while it waits' });

  for (const read of ['json', 'reader'] as const) {
    const reading = new AbortController();
    const answer = await fetch(`${url}/body`, { ...OPTIONS, signal: reading.signal });
    const rest = read === 'json' ? answer.json() : drain(answer.body!.getReader());
    reading.abort(new Error(`while it reads by ${read}`));
    await assert.rejects(rest, { message: `while it reads by ${read}` });
  }
});

both('an interrupted body is an error only for its reader', async (t, fetch) => {
  const broken = Promise.withResolvers<void>();
  const { url } = await serving(t, (request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"half":');
    if (request.url === '/unread') response.on('close', broken.resolve);
    setImmediate(() => response.destroy());
  });
  await assert.rejects(async () => (await fetch(url, OPTIONS)).json());
  const unread = await fetch(`${url}/unread`, OPTIONS);
  await broken.promise;
  // The client notices the close one turn after the server, and the test gets no event for it.
  await new Promise(setImmediate);
  await assert.rejects(drain(unread.body!.getReader()));
});

both('invalid JSON and an absent server are errors', async (t, fetch) => {
  const { url } = await serving(t, (_, response) => response.end('<html>'));
  await assert.rejects(async () => (await fetch(url, OPTIONS)).json(), SyntaxError);
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  await assert.rejects(fetch(`http://127.0.0.1:${port}`, OPTIONS));
});

async function drain(reader: BodyReader): Promise<void> {
  while (!(await reader.read()).done);
}
