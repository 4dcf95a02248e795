/** Tests single reads, with both servers and with answers from the test. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { backup, deleteEvents, deleteSession } from '../src/manage.ts';
import { events, eventsByTime, series, sessions, stats } from '../src/read.ts';
import { RefusedError } from '../src/refusal.ts';
import { Sender } from '../src/send.ts';
import { event, refused } from './fake-ingest.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-read-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const name of TARGET_NAMES)
  test(`events, sessions, statistics, series, backups and deletions of ${name}`, async () => {
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
    assert.deepEqual(
      (await events({ baseUrl, query: { q: 'bAsH' } })).events.map(({ id }) => id),
      [3, 1],
    );
    const { series: lines, next } = await series({ baseUrl, query: { by: 'tool_name', bucket: 'day' } });
    assert.deepEqual(
      [lines.map((line) => [line.name, line.event_count, line.cost_usd]), next],
      [
        [
          ['Bash', [2], [1]],
          ['Read', [1], [0.5]],
        ],
        null,
      ],
    );
    const { newest_id } = await backup({ baseUrl });
    assert.equal(newest_id, 4);
    assert.equal((await deleteSession({ baseUrl, id: 'other' })).deleted, 1);
    assert.equal((await deleteEvents({ baseUrl, before: 3 })).deleted, 2);
    assert.deepEqual(
      (await events({ baseUrl })).events.map(({ id }) => id),
      [3],
    );
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

test('a page that stops early is continued until it has its rows or the end', async () => {
  const asked: string[] = [];
  const pages = [
    { events: [{ id: 900 }], next: 512, scanned_to: 512 },
    { events: [], next: 256, scanned_to: 256 },
    { events: [{ id: 200 }, { id: 100 }], next: 100, scanned_to: 100 },
  ];
  const answers = pages.values();
  const fetch = async (url: string) => {
    asked.push(url);
    return new Response(JSON.stringify(answers.next().value));
  };
  const searched: number[] = [];
  const query = { tool_name: 'Bash', limit: 3, before: 1000 };
  const page = await events({ fetch, query, onSearch: (scanned_to) => searched.push(scanned_to) });
  assert.deepEqual(page, { events: [{ id: 900 }, { id: 200 }, { id: 100 }], next: 100, scanned_to: 100 });
  assert.deepEqual(asked, [
    '/api/events?tool_name=Bash&limit=3&before=1000',
    '/api/events?tool_name=Bash&limit=2&before=512',
    '/api/events?tool_name=Bash&limit=2&before=256',
  ]);
  assert.deepEqual(searched, [512, 256]);
});

test('sessions, rows in rising order and rows by time continue too, and end at the end', async () => {
  const asked: string[] = [];
  const searched: string[] = [];
  const answering = (pages: readonly object[]) => {
    const answers = pages.values();
    return async (url: string) => {
      asked.push(url);
      return new Response(JSON.stringify(answers.next().value));
    };
  };
  const rows = await events({
    fetch: answering([
      { events: [], next: 511, scanned_to: 511 },
      { events: [{ id: 600 }], next: null, scanned_to: 700 },
    ]),
    query: { order: 'asc', status: 'error' },
  });
  assert.deepEqual(rows, { events: [{ id: 600 }], next: null, scanned_to: 700 });
  const found = await sessions({
    fetch: answering([
      { sessions: [], next: 'x.9', scanned_to: 'x.9' },
      { sessions: [], next: null, scanned_to: null },
    ]),
    query: { project: 'p' },
    onSearch: (scanned_to) => searched.push(scanned_to),
  });
  assert.deepEqual(found, { sessions: [], next: null, scanned_to: null });
  const byTime = await eventsByTime({
    fetch: answering([
      { events: [{ id: 2 }], next: 'a/b', scanned_to: 'a/b' },
      { events: [{ id: 1 }], next: null, scanned_to: null },
    ]),
    query: { order: 'asc', limit: 2 },
    onSearch: (scanned_to) => searched.push(scanned_to),
  });
  assert.deepEqual(byTime, { events: [{ id: 2 }, { id: 1 }], next: null, scanned_to: null });
  assert.deepEqual(searched, ['x.9', 'a/b']);
  assert.deepEqual(asked, [
    '/api/events?order=asc&status=error',
    '/api/events?order=asc&status=error&limit=50&after=511',
    '/api/sessions?project=p',
    '/api/sessions?project=p&limit=50&cursor=x.9',
    '/api/events?order=asc&limit=2&order_by=time',
    '/api/events?order=asc&limit=1&order_by=time&cursor=a%2Fb',
  ]);
});
