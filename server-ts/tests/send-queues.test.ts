import assert from 'node:assert/strict';
import net, { type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { SendQueues } from '../src/http/send-queues.ts';

const skip = process.platform === 'linux' ? false : 'only Linux says what the kernel holds';
/** Number of bytes above what the kernel buffers at both ends of one connection. */
const BYTES = 16_000_000;

/** Opens a connection; the client's end is paused. */
async function connect(): Promise<{ ours: Socket; client: Socket; end: () => void }> {
  const accepted = Promise.withResolvers<Socket>();
  const server = net.createServer(accepted.resolve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const ours = await accepted.promise;
  const end = (): void => {
    ours.destroy();
    client.destroy();
    server.close();
  };
  return { ours, client, end };
}

test('a stream above its share waits until its client has taken enough', { skip }, async () => {
  const { ours, client, end } = await connect();
  const queue = new SendQueues(1_000_000).add(ours, 60_000);
  await queue.room(0);
  ours.write(Buffer.alloc(BYTES));
  const room = queue.room(0);
  client.resume();
  await room;
  assert.ok(client.bytesRead > BYTES / 2, `${client.bytesRead} bytes were taken`);
  end();
});

test('a client that takes no bytes for the time limit is disconnected', { skip }, async () => {
  const { ours, end } = await connect();
  const queue = new SendQueues(1_000_000).add(ours, 300);
  ours.on('error', () => {}).write(Buffer.alloc(BYTES));
  await queue.room(0);
  assert.ok(ours.destroyed);
  end();
});

test('streams write a bounded number of bytes before other work runs, in the order of their calls', async () => {
  const queues = new SendQueues();
  const order: (number | string)[] = [];
  const writing = Array.from({ length: 12 }, async (_, index) => {
    const turn = queues.turn(1 << 17);
    if (turn !== undefined) await turn;
    order.push(index);
  });
  const other = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('other'));
  await Promise.all([...writing, other]);
  assert.deepEqual(order.slice(0, 4), [0, 1, 2, 3]);
  assert.deepEqual(
    order.filter((entry) => entry !== 'other'),
    Array.from({ length: 12 }, (_, index) => index),
  );
  assert.ok(order.indexOf('other') <= 8, `after ${order.indexOf('other')} writes`);
});
