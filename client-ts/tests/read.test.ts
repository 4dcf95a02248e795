/** Tests single reads, with both servers and with answers from the test. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { events, sessions, stats } from '../src/read.ts';
import { RefusedError } from '../src/refusal.ts';
import { Sender } from '../src/send.ts';
import { FakeClock } from './fake-clock.ts';
import { event, refused } from './fake-ingest.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-read-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const name of TARGET_NAMES)
  test(`events, sessions and statistics of ${name}, with filters and pages`, async () => {
    const flags = ['--db', join(folder, `${name}.db`)];
    const server = await startServer(name, { cwd: folder, flags });
    const baseUrl = server.url;
    const sender = new Sender({ baseUrl });
    for (const tool_name of ['Bash', 'Read', 'Bash']) sender.send(event({ tool_name, cost_usd: 0.5 }));
    sender.send(event({ session_id: 'other', event_type: 'user_prompt' }));
    await sender.flush();
    sender.stop();

    const first = await events({ baseUrl, query: { limit: 3, order: undefined } });
    assert.deepEqual([first.events.map(({ id }) => id), first.next], [[4, 3, 2], 2]);
    const last = await events({ baseUrl, query: { limit: 3, before: first.next! } });
    assert.deepEqual([last.events.map(({ id }) => id), last.next], [[1], null]);
    const bash = await events({ baseUrl, query: { tool_name: 'Bash', event_type: 'tool_use' } });
    assert.deepEqual(
      bash.events.map(({ id, tool_name, status }) => [id, tool_name, status]),
      [
        [3, 'Bash', 'success'],
        [1, 'Bash', 'success'],
      ],
    );
    const active = await sessions({ baseUrl, query: { status: 'active' } });
    assert.deepEqual(
      active.sessions.map(({ id, event_count, total_cost_usd }) => [id, event_count, total_cost_usd]),
      [
        ['other', 1, 0],
        ['s', 3, 1.5],
      ],
    );
    const { total_events, tools } = await stats({ baseUrl });
    assert.deepEqual([total_events, tools[0]], [4, { name: 'Bash', count: 2 }]);
    assert.equal((await stats({ baseUrl, query: { agent_type: 'nobody' } })).total_events, 0);
    await assert.rejects(
      events({ baseUrl, query: { limit: 0 } }),
      (error) => error instanceof RefusedError && error.code === 'invalid_parameter',
    );
    await server.stop();
  });

test('a read carries the token, and a refusal is not repeated', async () => {
  const asked: [string, string | undefined][] = [];
  const reading = stats({
    token: 'secret',
    fetch: async (url, { headers }) => {
      asked.push([url, headers.authorization]);
      return refused(503, 'overloaded');
    },
  });
  await assert.rejects(reading, RefusedError);
  assert.deepEqual(asked, [['/api/stats?', 'Bearer secret']]);
});

test('a read ends with its time limit or with its signal', async () => {
  const clock = new FakeClock();
  const fetch = (_: string, { signal }: { readonly signal: AbortSignal | null }) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const limited = assert.rejects(events({ fetch, clock, request_ms: 500 }), { name: 'TimeoutError' });
  await clock.pass(500);
  await limited;
  const end = new AbortController();
  const ended = assert.rejects(events({ fetch, clock, signal: end.signal }), /enough/);
  end.abort(new Error('enough'));
  await ended;
  assert.equal(clock.waiting, 0);
});
