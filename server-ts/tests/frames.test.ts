import assert from 'node:assert/strict';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { AnswerRoom } from '../src/http/answer-room.ts';
import { sendFrames } from '../src/http/frames.ts';
import { SendQueues } from '../src/http/send-queues.ts';
import type { Next } from '../src/hub.ts';

test('a stream leaves no listener behind after many waits', async () => {
  const ROUNDS = 500;
  const counts: number[] = [];
  let response: ServerResponse | undefined;
  let rounds = 0;
  const subscription = {
    next(): Promise<Next> {
      const names = ['drain', 'close', 'error', 'finish'];
      counts.push(names.reduce((sum, name) => sum + response!.listenerCount(name), 0));
      // Each chunk has more bytes than a socket takes at once, so that every write must wait.
      return Promise.resolve(rounds++ < ROUNDS ? Buffer.alloc(100_000, '.') : 'end');
    },
  };
  const server = createServer((_request, taken) => {
    response = taken;
    const [queues, answers] = [new SendQueues(), new AnswerRoom(1 << 20)];
    void sendFrames(taken, subscription, 'opening', 60_000, queues, answers).finally(() => taken.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bytes = await new Promise<number>((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => {
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      answer.on('end', () => resolve(length));
    });
  });
  server.close();
  assert.equal(bytes, 'opening'.length + ROUNDS * 100_000);
  assert.ok(Math.max(...counts) <= counts[0]! + 2, `${counts[0]} listeners became ${Math.max(...counts)}`);
});
