import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Endpoint } from './endpoint.ts';
import { openLog } from './log.ts';
import { Notifier, type SignalSource } from './notifier.ts';
import { findZone } from './zones.ts';

test('a failed read is repeated, and each page of ids is read once', async (t) => {
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString('utf8')));
    request.on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const reads: (readonly [number, number])[] = [];
  let newest = 5;
  const counted: string[] = [];
  const source: SignalSource = {
    get newest() {
      return newest;
    },
    meters: { countNotice: (result) => void counted.push(result) },
    async signals(after, end) {
      reads.push([after, end]);
      if (reads.length === 1) throw new Error('busy');
      const common = { reason: null, at: 0, key: after, session_id: `s${after}`, agent: 'a', project: null };
      return [{ id: end, kind: 'failed', started_at: 0, ...common }];
    },
    dayCost: async () => ({ usd: 0, unpriced_tokens: 0 }),
  };
  const rules = { origin: '', epoch: 'e', finishMinutes: 5, budgetCents: undefined, zone: findZone('UTC')! };
  const endpoint = new Endpoint(`http://127.0.0.1:${port}/`, Buffer.alloc(24));
  const notifier = await Notifier.start(source, endpoint, rules, openLog('error'));
  t.after(() => {
    notifier.close();
    receiver.closeAllConnections();
    receiver.close();
  });
  newest = 10_105;
  notifier.published();
  notifier.published();
  while (counted.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(reads, [
    [5, 10_005],
    [5, 10_005],
    [10_005, 10_105],
  ]);
  assert.deepEqual(counted, ['delivered', 'delivered']);
  assert.deepEqual(
    bodies.map((body) => (JSON.parse(body) as { session: string }).session),
    ['s5', 's10005'],
  );
});
