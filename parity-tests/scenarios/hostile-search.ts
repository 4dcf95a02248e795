/**
 * Tests searches for a text that repeats itself, in texts that almost contain it (rule GET-13). They cost no more than
 * others, and delay no other read.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { followedPages, type Page } from '../src/followed-pages.ts';
import { processorMs, requireProc } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { untilSealed } from '../src/sealed-file.ts';

export const HOSTILE_SEARCH: ScenarioFile = {
  name: 'hostile-search',
  about: 'searches for texts that repeat themselves',
  scenarios: [
    {
      name: 'a search ends with the row that fills page_search_bytes, at the same row in both servers',
      rules: ['GET-13', 'SER-04'],
      attacks: ['X8'],
      uses: 'both',
      run: boundedSearch,
    },
    {
      name: 'a search for a text that repeats itself costs no more than another one',
      rules: ['GET-13'],
      attacks: ['X8'],
      uses: 'each',
      measures: true,
      run: linearCost,
    },
    {
      name: 'a search ends when its client disconnects',
      rules: ['GET-13', 'GET-10'],
      attacks: ['X8'],
      uses: 'each',
      measures: true,
      run: leavingClients,
    },
    {
      name: 'other reads are quick next to three searches',
      rules: ['GET-10', 'GET-13'],
      attacks: ['X8'],
      uses: 'each',
      measures: true,
      run: otherReads,
    },
  ],
};

/** Texts whose every position begins a long match with the rows, also as JSON writes them. */
const HOSTILE = [`${'a'.repeat(127)}b`, `b${'a'.repeat(127)}`, `${'a'.repeat(100)}"b`, 'ab'.repeat(64)];
const HARMLESS = 'zzzz';
/** More metadata than a page searches. */
const ROWS = 3_500;
const METADATA = { m: 'a'.repeat(10_200) };

async function fill(client: ApiClient): Promise<void> {
  for (let at = 0; at < ROWS; at += 500) {
    const rows = Array.from({ length: 500 }, (_, index) => {
      const row = at + index;
      return event({ session_id: `s-${row % 50}`, tool_name: row % 9 ? 'Read' : 'Bash', metadata: METADATA });
    });
    await client.ingest(rows);
  }
}

const pathOf = (q: string): string => `/api/events?q=${encodeURIComponent(q)}`;

async function boundedSearch(context: ScenarioContext): Promise<void> {
  const bytes = 1 << 20;
  const rows = 80;
  const perPage = LIMITS.page_search_bytes / bytes;
  const found: unknown[] = [];
  for (const target of [context.target, context.other]) {
    const server = await context.start({ target, flags: ['--max-metadata-bytes', String(bytes)] });
    const client = context.client(server);
    for (let row = 1; row <= rows && found.length === 0; row++) {
      // The marks are in the last row of a page, in the first of the next one, and in the oldest row.
      const marked = [1, rows - perPage, rows - perPage + 1].includes(row);
      const filling = 'x'.repeat(bytes - JSON.stringify({ m: '', k: 'Mark' }).length);
      await client.ingest([event({ metadata: { m: filling, k: marked ? 'Mark' : 'none' } })]);
    }
    const pages = [];
    for (const order of ['asc', 'desc'] as const) pages.push(await followedPages(client, 'q=mark', order));
    const [ascending, descending] = pages as [(typeof pages)[0], (typeof pages)[0]];
    assert.deepEqual(
      descending.map(({ ids, next }) => [ids, next]),
      [
        [[rows - perPage + 1], rows - perPage + 1],
        [[rows - perPage], rows - 2 * perPage + 1],
        [[1], null],
      ],
    );
    assert.deepEqual(
      ascending.map(({ next }) => next),
      [perPage, 2 * perPage, null],
    );
    const series = [];
    for (let before: number | null = rows + 1; before !== null; ) {
      const reply = await client.get(`/api/series?q=mark&before=${before}`);
      const { next, scanned_to, ...sums } = reply.json<{
        next: number | null;
        scanned_to: number;
        series: [];
      }>();
      series.push([next, scanned_to, sums.series]);
      before = next;
    }
    assert.deepEqual(
      series.map(([next]) => next),
      descending.map(({ next }) => next),
      'a series ends where a page does',
    );
    found.push([pages, series]);
    await server.stop();
  }
  assert.deepEqual(found[1], found[0], 'both servers end at the same rows');
}

/** Largest ratio of the processor time of a hostile search to that of another one. LIKE has more than 100. */
const MOST_RATIO = 8;
/** Steps of the processor time, and the work of a request. */
const LEAST_MS = 60;

async function linearCost(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  await fill(client);
  const costOf = async (q: string): Promise<number> => {
    const costs = [];
    for (let round = 0; round < 3; round++) {
      const before = processorMs(server.pid);
      const page = (await client.get(pathOf(q))).json<Page>();
      costs.push(processorMs(server.pid) - before);
      assert.deepEqual([page.events.length, page.next !== null], [0, true], q);
    }
    return Math.min(...costs);
  };
  const harmless = Math.max(await costOf(HARMLESS), LEAST_MS);
  for (const q of HOSTILE) {
    const ms = await costOf(q);
    context.note(`${q.slice(0, 2)}…${q.slice(-2)}: ${ms} ms, another text ${harmless} ms`);
    assert.ok(ms <= MOST_RATIO * harmless, `${q} costs ${ms} ms, another text ${harmless} ms`);
  }
}

async function leavingClients(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  await fill(context.client(server));
  const leaving = context.client(server);
  const searches = Array.from({ length: 60 }, () => leaving.get(pathOf(HOSTILE[0]!)).catch(() => undefined));
  await pause(150);
  leaving.abort();
  await Promise.all(searches);
  // Sealing is work of its own (rule STO-15).
  await untilSealed(context.db(), ROWS);
  await pause(400);
  const before = processorMs(server.pid);
  await pause(1_000);
  const ms = processorMs(server.pid) - before;
  assert.ok(ms < 150, `after its clients had left, the server worked for ${ms} ms of a second`);
}

const READS = 60;
const MOST_P99_MS = 200;

async function otherReads(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fill(client);
  let isDone = false;
  const searching = HOSTILE.slice(0, 3).map(async (q) => {
    const own = context.client(server);
    while (!isDone) assert.equal((await own.get(pathOf(q))).status, 200);
  });
  await pause(100);
  const paths = [
    '/api/events?tool_name=Bash&limit=5',
    '/api/sessions/s-1?limit=5',
    '/api/events?limit=5',
    '/api/stats',
  ];
  const times: number[] = [];
  for (let round = 0; round < READS; round++) {
    for (const path of paths) {
      const begun = performance.now();
      const { status, text } = await client.get(path);
      times.push(performance.now() - begun);
      assert.equal(status, 200, text);
    }
  }
  isDone = true;
  await Promise.all(searching);
  times.sort((one, other) => one - other);
  const p99 = times[Math.floor(times.length * 0.99)]!;
  context.note(`p50 ${times[times.length >> 1]!.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  assert.ok(p99 < MOST_P99_MS, `p99 ${p99.toFixed(0)} ms`);
}
