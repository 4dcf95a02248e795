/**
 * Tests pages that stop early (rule GET-12): following `next` gives exactly the rows of an unbounded
 * search, and both servers stop at the same ids.
 *
 * Two pairs of names alternate, so that every block has all four names. Only a few rows have one name of each pair.
 */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { exportedIds, followedPages, type Page } from '../src/followed-pages.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const PAGE_BUDGET: ScenarioFile = {
  name: 'page-budget',
  about: 'pages that stop early',
  scenarios: [
    {
      name: 'following next gives every row once, in every format and both orders, with the same pages',
      rules: ['GET-12', 'GET-01', 'FMT-08', 'FMT-09'],
      uses: 'both',
      run: samePages,
    },
    {
      name: 'a page looks into a bounded number of spans, and at a bounded number of their summaries',
      rules: ['GET-12'],
      uses: 'both',
      run: distantSpans,
    },
    {
      name: 'a deletion between two pages removes rows and adds none',
      rules: ['GET-12', 'RET-05'],
      uses: 'each',
      run: deletedBetween,
    },
  ],
};

const PAIRS = [
  { tool_name: 'Bash', branch: 'other' },
  { tool_name: 'Read', branch: 'main' },
] as const;
const MEETING = 'tool_name=Bash&branch=main';
const BATCH = 10_000;
const BLOCK = LIMITS.event_block_rows;
const SPAN = BLOCK * LIMITS.event_span_blocks;
/** The ids whose rows have the searched pair: in the first and last block, and around the ends of pages. */
const ROWS = 2.2 * LIMITS.page_blocks * BLOCK;
const BUDGET = LIMITS.page_blocks * BLOCK;
const FOUND = [1, 2, 300, BUDGET - 1, BUDGET, BUDGET + 1, 2 * BUDGET, ROWS - 300, ROWS - 1, ROWS].map(
  Math.floor,
);

/** Stores the rows, from the id 1 on. */
async function fill(client: ApiClient): Promise<void> {
  const wanted = new Set(FOUND);
  const eventAt = (id: number) => {
    const session_id = id % 1_000 === 7 ? 'rare' : 'session';
    return event({
      session_id,
      ...PAIRS[id % 2],
      ...(wanted.has(id) ? { tool_name: 'Bash', branch: 'main' } : {}),
    });
  };
  for (let id = 1; id <= Math.floor(ROWS); id += BATCH) {
    const count = Math.min(BATCH, Math.floor(ROWS) - id + 1);
    await client.ingest(Array.from({ length: count }, (_, index) => eventAt(id + index)));
  }
}

async function samePages(context: ScenarioContext): Promise<void> {
  const filler = await context.start();
  await fill(context.client(filler));
  await filler.stop();
  const clients = await bothClients(context);
  const pair = FOUND;
  const rare = Array.from({ length: Math.ceil(ROWS / 1_000) }, (_, index) => index * 1_000 + 7);
  const filters: [query: string, ids: readonly number[]][] = [
    [MEETING, pair],
    [`${MEETING}&since=1970-01-01T00:00:00Z`, pair],
    [`${MEETING}&session_id=session`, pair],
    [`session_id=rare&tool_name=Bash&branch=main`, []],
    ['session_id=rare&agent_type=agent', rare.filter((id) => id <= ROWS)],
  ];
  let early = 0;
  for (const [filter, ids] of filters) {
    for (const order of ['asc', 'desc'] as const) {
      const expected = order === 'asc' ? ids : ids.toReversed();
      for (const limit of [3, 50]) {
        const lists = [];
        for (const client of clients)
          lists.push(await followedPages(client, `${filter}&limit=${limit}`, order));
        assert.deepEqual(lists[1], lists[0], `${filter} ${order}: both servers have the same pages`);
        const [list] = lists;
        assert.deepEqual(
          list!.flatMap(({ ids }) => ids),
          expected,
          `${filter} ${order}`,
        );
        const end = order === 'asc' ? Math.floor(ROWS) : 0;
        for (const page of list!) assert.equal(page.scanned_to, page.next ?? end);
        early += list!.filter((page) => page.next !== null && page.ids.length < limit).length;
      }
      for (const client of clients) {
        for (const format of ['msgpack', 'protobuf'] as const) {
          const list = await followedPages(client, `${filter}&limit=3`, order, format);
          assert.deepEqual(
            list,
            await followedPages(client, `${filter}&limit=3`, order),
            `${format} has the pages of JSON`,
          );
        }
        for (const format of ['ndjson', 'arrow'] as const) {
          const rows = await exportedIds(client, `${filter}&order=${order}&limit=1000000`, format);
          assert.deepEqual(rows, expected, `${filter} ${order} as ${format}`);
        }
      }
    }
  }
  assert.ok(early > 8, `${early} pages stopped early`);
}

/** Copies 512 rows into distant spans by SQL, since as many stored rows would take minutes. */
async function distantSpans(context: ScenarioContext): Promise<void> {
  const filler = await context.start();
  const client = context.client(filler);
  await client.ingest(Array.from({ length: 2 * BLOCK - 1 }, (_, index) => event(PAIRS[index % 2])));
  await client.ingest([event({ tool_name: 'Bash', branch: 'main' })]);
  await filler.stop();
  const near = Array.from({ length: 2 * LIMITS.page_spans }, (_, index) => index + 1);
  const far = near.at(-1)! + 3 * LIMITS.page_span_summaries;
  copyRows(context.db(), [...near, far]);
  const clients = await bothClients(context);
  const ids = [0, ...near, far].map((span) => span * SPAN + 2 * BLOCK);
  for (const order of ['asc', 'desc'] as const) {
    const lists = [];
    for (const one of clients) lists.push(await followedPages(one, MEETING, order));
    assert.deepEqual(lists[1], lists[0], `${order}: both servers have the same pages`);
    const [list] = lists;
    assert.deepEqual(
      list!.flatMap((page) => page.ids),
      order === 'asc' ? ids : ids.toReversed(),
    );
    assert.ok(list!.every((page) => page.ids.length <= LIMITS.page_spans));
    assert.ok(
      list!.some((page) => page.ids.length === LIMITS.page_spans),
      'a page ends with its last span',
    );
    assert.ok(
      list!.some((page) => page.ids.length === 0 && page.next !== null),
      'a page ends with its last summary',
    );
  }
}

/** Copies the rows of the first span, with their summaries, into these spans. */
function copyRows(file: string, spans: readonly number[]): void {
  const db = new Database(file);
  const columnsOf = (table: string): string =>
    (db.pragma(`table_info(${table})`) as { name: string }[])
      .map(({ name }) => name)
      .slice(1)
      .join(', ');
  const copies = (table: string, ids: number): Database.Statement =>
    db.prepare(
      `INSERT INTO ${table} SELECT id + ? * ${ids}, ${columnsOf(table)} FROM ${table} WHERE id < ${ids}`,
    );
  const rows = copies('events', SPAN);
  const blocks = copies('event_blocks', SPAN / BLOCK);
  const summaries = copies('event_spans', 1);
  db.transaction(() => {
    for (const span of spans) for (const statement of [rows, blocks, summaries]) statement.run(span);
  })();
  db.close();
}

async function deletedBetween(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  await fill(client);
  const kept = FOUND.filter((id) => id >= BUDGET);
  const first = (await client.get(`/api/events?${MEETING}&limit=2`)).json<Page>();
  assert.deepEqual(
    first.events.map(({ id }) => id),
    FOUND.toReversed().slice(0, 2),
  );
  const oldest = (await client.get(`/api/events?${MEETING}&order=asc&limit=2`)).json<Page>();
  const deleted = await client.send('DELETE', `/api/events?before=${BUDGET}`, undefined, []);
  assert.equal(deleted.status, 200, deleted.text);
  const rest = await followedPages(client, `${MEETING}&limit=2`, 'desc', 'json', first.next!);
  assert.deepEqual(
    rest.flatMap(({ ids }) => ids),
    kept.toReversed().slice(2),
  );
  const newer = await followedPages(client, `${MEETING}&limit=2`, 'asc', 'json', oldest.next!);
  assert.deepEqual(
    newer.flatMap(({ ids }) => ids),
    kept,
  );
  const { revision } = deleted.json<{ revision: string }>();
  assert.equal(newer.at(-1)!.scanned_to, Number(revision), 'the end is the newest id that was given out');
}

/** Starts both servers on a copy of the file each. */
async function bothClients(context: ScenarioContext): Promise<readonly ApiClient[]> {
  const clients: ApiClient[] = [];
  for (const target of [context.target, context.other]) {
    const db = context.db(`${target}.db`);
    copyFileSync(context.db(), db);
    clients.push(context.client(await context.start({ target, db })));
  }
  return clients;
}
