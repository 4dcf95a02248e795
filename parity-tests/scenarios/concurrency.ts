/** Tests many concurrent clients: one `event_id` is stored once, and ids ascend in commit order. */
import assert from 'node:assert/strict';
import { type ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const CONCURRENCY: ScenarioFile = {
  name: 'concurrency',
  about: 'many clients at once',
  sharesStreams: true,
  scenarios: [
    {
      name: 'one event_id from 50 connections is stored once',
      rules: ['EVT-13', 'ING-02'],
      uses: 'each',
      run: sameEventId,
    },
    {
      name: 'every acknowledged id is stored once',
      rules: ['ING-01', 'ING-07', 'ING-08'],
      uses: 'each',
      run: manyWriters,
    },
  ],
};

async function sameEventId(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  for (let round = 0; round < 5; round += 1) {
    const clients = Array.from({ length: 50 }, () => context.client(server));
    const post = (client: ApiClient) =>
      client.post('/api/events', event({ event_id: `same-${round}`, tokens_in: 1 }));
    const replies = await Promise.all(clients.map(post));
    const received = replies.map((reply) => reply.json<Ingested>());
    assert.equal(replies.filter((reply) => reply.status === 201).length, 1);
    assert.equal(replies.filter((reply) => reply.status === 200).length, 49);
    assert.equal(
      received.reduce((sum, one) => sum + one.received, 0),
      1,
    );
    assert.equal(
      received.reduce((sum, one) => sum + one.duplicates, 0),
      49,
    );
  }
  const stats = await context.client(server).get('/api/stats');
  const { total_events, total_tokens_in } = stats.json<{ total_events: number; total_tokens_in: number }>();
  assert.deepEqual({ total_events, total_tokens_in }, { total_events: 5, total_tokens_in: 5 });
}

async function manyWriters(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const acknowledged = new Map<number, string>();
  const write = async (writer: number): Promise<void> => {
    const client = context.client(server);
    let newest = 0;
    for (let request = 0; request < 10; request += 1) {
      const names = Array.from(
        { length: 1 + ((writer + request) % 4) },
        (_, index) => `w${writer}-${request}-${index}`,
      );
      const { ids } = await client.ingest(names.map((name) => event({ event_id: name })));
      assert.equal(ids.length, names.length);
      ids.forEach((id, index) => {
        assert.ok(id > newest, `writer ${writer}: id ${id} after ${newest}`);
        assert.ok(!acknowledged.has(id), `id ${id} was given twice`);
        newest = id;
        acknowledged.set(id, names[index]!);
      });
    }
  };
  await Promise.all(Array.from({ length: 30 }, (_, writer) => write(writer)));
  const found = await readAll(context.client(server));
  assert.deepEqual(
    found,
    [...acknowledged].sort(([one], [other]) => one - other),
  );
}

/** Reads every row of the server, page by page. */
async function readAll(client: ApiClient): Promise<[number, string][]> {
  const rows: [number, string][] = [];
  for (let after: number | null = 0; after !== null; ) {
    const reply = await client.get(`/api/events?after=${after}&limit=100`);
    const page = reply.json<{ events: { id: number; event_id: string }[]; next: number | null }>();
    rows.push(...page.events.map((row): [number, string] => [row.id, row.event_id]));
    after = page.next;
  }
  return rows;
}
