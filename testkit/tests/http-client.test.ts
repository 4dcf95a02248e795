/** Tests the raw client against servers that answer early, malformed or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, Connection, compose } from '../src/http/http-client.ts';
import { answering, listen } from '../src/servers/tcp-server.ts';

const GET = compose('GET', '/', [['Host', 'x']], Buffer.alloc(0));

test('an answer with content-length is read, and the connection is reused', async () => {
  await withServer(
    answering('HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\nContent-Length: 3\r\n\r\nabc'),
    async (connection) => {
      const first = response(await connection.exchange(GET));
      assert.equal(first.status, 200);
      assert.equal(first.body.toString(), 'abc');
      assert.deepEqual(first.headers, [
        ['A', '1'],
        ['a', '2'],
        ['Content-Length', '3'],
      ]);
      assert.ok(connection.reusable);
      assert.equal(response(await connection.exchange(GET)).body.toString(), 'abc');
    },
  );
});

test('a chunked answer in pieces', async () => {
  const pieces = [
    'HTTP/1.1 200 OK\r\nTransfer-Enc',
    'oding: chunked\r\n\r\n4\r\nab',
    'cd\r',
    '\n1\r\ne\r\n0\r\n',
    '\r\n',
  ];
  await withServer(
    async (socket) => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async (connection) => {
      assert.equal(response(await connection.exchange(GET)).body.toString(), 'abcde');
    },
  );
});

test('an answer to HEAD has no body, and later bytes are reported', async () => {
  await withServer(answering('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc'), async (connection) => {
    const answer = response(await connection.exchange({ ...GET, method: 'HEAD' }));
    assert.equal(answer.body.length, 0);
    assert.ok(!connection.reusable, 'the body that should not be there is seen');
    assert.equal(connection.unread.toString(), 'abc');
  });
});

test('an interim answer is recorded and releases the body', async () => {
  const seen: string[] = [];
  await withServer(
    (socket) => {
      socket.on('data', (bytes) => {
        seen.push(bytes.toString());
        socket.write(
          seen.length === 1
            ? 'HTTP/1.1 100 Continue\r\n\r\n'
            : 'HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n',
        );
      });
    },
    async (connection) => {
      const request = compose(
        'POST',
        '/',
        [
          ['Host', 'x'],
          ['Expect', '100-continue'],
          ['Content-Length', '2'],
        ],
        Buffer.from('{}'),
      );
      const answer = response(await connection.exchange(request));
      assert.deepEqual(
        answer.interim.map((head) => head.status),
        [100],
      );
      assert.equal(seen[1], '{}');
      assert.ok(!seen[0]!.includes('{}'));
    },
  );
});

test('an answer that refuses the body means that it is never sent', async () => {
  const seen: string[] = [];
  await withServer(
    (socket) => {
      socket.on('data', (bytes) => {
        seen.push(bytes.toString());
        socket.write('HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n');
      });
    },
    async (connection) => {
      const request = compose('POST', '/', [['Expect', '100-continue']], Buffer.from('{}'));
      assert.equal(response(await connection.exchange(request)).status, 417);
      assert.equal(seen.length, 1);
    },
  );
});

test('an answer before the end of the body is not lost, even after a reset', async () => {
  for (let round = 0; round < 20; round += 1) {
    await withServer(
      (socket) => {
        socket.once('data', () => {
          // Closing with unread bytes makes the kernel send RST right after the answer.
          socket.pause();
          socket.write('HTTP/1.1 413 Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}', () =>
            socket.destroy(),
          );
        });
      },
      async (connection) => {
        const answer = await connection.exchange(
          compose('POST', '/', [['Host', 'x']], Buffer.alloc(20_000_000)),
        );
        assert.equal(response(answer).status, 413);
        assert.ok(await connection.closedWithin(1_000));
      },
    );
  }
});

test('a close without an answer, malformed bytes, a truncated answer and silence are distinguished', async () => {
  const kinds: string[] = [];
  for (const bytes of ['', 'nonsense\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab']) {
    await withServer(
      (socket) => void socket.once('data', () => socket.end(bytes)),
      async (connection) => {
        kinds.push((await connection.exchange(GET)).kind);
      },
    );
  }
  await withServer(
    (socket) => void socket.resume(),
    async (connection) => {
      kinds.push((await connection.exchange(GET, 50)).kind);
      assert.equal(await connection.closedWithin(20), false);
    },
  );
  assert.deepEqual(kinds, ['silent', 'garbled', 'garbled', 'late']);
});

test('contradictory framing is not an answer', async () => {
  const heads = [
    'Content-Length: 1\r\nTransfer-Encoding: chunked',
    'Content-Length: 1\r\nContent-Length: 1',
    'Content-Length: +1',
    'X : y',
  ];
  for (const head of heads) {
    await withServer(answering(`HTTP/1.1 200 OK\r\n${head}\r\n\r\na`), async (connection) => {
      assert.equal((await connection.exchange(GET, 1_000)).kind, 'garbled', head);
    });
  }
});

async function withServer(
  serve: Parameters<typeof listen>[0],
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const server = await listen(serve);
  const connection = await Connection.open(server.port);
  try {
    await work(connection);
  } finally {
    connection.close();
    await server.close();
  }
}

function response(answer: Answer) {
  if (answer.kind !== 'response') throw new assert.AssertionError({ message: `no response: ${answer.kind}` });
  return answer.response;
}
