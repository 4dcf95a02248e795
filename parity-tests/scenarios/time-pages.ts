/**
 * Tests pages in the order of times (rule GET-15). Following `next` gives every matching row once. Both servers end each
 * page at the same row.
 */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const TIME_PAGES: ScenarioFile = {
  name: 'time-pages',
  about: 'pages in the order of times',
  scenarios: [
    {
      name: 'following next gives every row once, also after deletions',
      rules: ['GET-15', 'TIM-01', 'TIM-02'],
      uses: 'both',
      run: randomHistories,
    },
    {
      name: 'a page that ends for its bytes goes on after its last row',
      rules: ['GET-15', 'GET-14'],
      uses: 'both',
      run: largeRows,
    },
    {
      name: 'rows after a deletion of all rows that are not late go on in order',
      rules: ['GET-15', 'RET-05'],
      uses: 'both',
      run: deletedOrder,
    },
    {
      name: 'the first page has the newest rows, also after an import of more late rows than a page looks at',
      rules: ['GET-15', 'GET-12'],
      uses: 'both',
      run: afterImport,
    },
  ],
};

const BATCHES = 40;
/** Times are whole seconds before the start, so many rows have one time. */
const SECONDS = 300;
const TOOLS = [null, 'common', 'rare'] as const;

interface Row {
  readonly id: number;
  readonly time: string;
  readonly created_at: string;
  readonly session_id: string;
  readonly tool_name: string | null;
}

interface TimePage {
  readonly events: readonly Row[];
  readonly next: string | null;
  readonly scanned_to: string | null;
}

/** Runs work with this server and then with the other one on the same file; both must find the same. */
async function withBoth(
  context: ScenarioContext,
  flags: readonly string[],
  fill: (client: ApiClient) => Promise<void>,
  work: (client: ApiClient) => Promise<unknown>,
): Promise<void> {
  const found: unknown[] = [];
  for (const target of [context.target, context.other]) {
    const server = await context.start({ target, flags });
    const client = context.client(server);
    if (found.length === 0) await fill(client);
    found.push(await work(client));
    await server.stop();
  }
  assert.deepEqual(found[1], found[0], 'both servers end at the same rows');
}

async function randomHistories(context: ScenarioContext): Promise<void> {
  await withBoth(context, [], (client) => fillRandom(client, seededRandom(29)), comparePages);
}

async function fillRandom(client: ApiClient, random: Random): Promise<void> {
  const start = Date.now();
  for (let batch = 0; batch < BATCHES; batch++) {
    const events = Array.from({ length: 1 + random.below(250) }, () => {
      const seconds = random.below(SECONDS);
      return event({
        session_id: `s${random.below(5)}`,
        tool_name: random.chance(0.02) ? 'rare' : random.pick(TOOLS.slice(0, 2)),
        client_timestamp: random.chance(0.8) ? new Date(start - seconds * 1000).toISOString() : null,
      });
    });
    const { ids } = await client.ingest(events);
    if (batch === 15) await removed(client, `/api/events?before=${ids[0]! - 500}`);
    if (batch === 25) await removed(client, '/api/sessions/s3');
  }
}

async function removed(client: ApiClient, path: string): Promise<void> {
  const reply = await client.send('DELETE', path, undefined, []);
  assert.equal(reply.status, 200, reply.text);
}

/** Compares all pages with the sorted rows; returns the pages. */
async function comparePages(client: ApiClient): Promise<unknown> {
  const rows = await storedRows(client);
  const at = (seconds: number): string => rows[Math.floor((rows.length * seconds) / SECONDS)]!.time;
  const pages: unknown[] = [];
  for (const order of ['asc', 'desc'] as const)
    for (const [query, limit, matches] of [
      ['', 1000, () => true],
      ['', 37, () => true],
      ['&tool_name=rare', 1, ({ tool_name }) => tool_name === 'rare'],
      ['&session_id=s1', 100, ({ session_id }) => session_id === 's1'],
      [`&since=${at(100)}`, 100, ({ time }) => time >= at(100)],
      [`&until=${at(200)}`, 100, ({ time }) => time < at(200)],
      [`&since=${at(40)}&until=${at(200)}&tool_name=common`, 50, (row) => isBetween(row, at(40), at(200))],
    ] as readonly [string, number, (row: Row) => boolean][]) {
      const found = await pagesByTime(client, `order=${order}&limit=${limit}${query}`);
      pages.push(found);
      const expected = rows.filter(matches).map(({ id }) => id);
      if (order === 'desc') expected.reverse();
      assert.deepEqual(found.flat(), expected, `${order} ${limit} ${query}`);
    }
  return pages;
}

function isBetween({ time, tool_name }: Row, since: string, until: string): boolean {
  return tool_name === 'common' && time >= since && time < until;
}

/** Returns all rows, by time and id. */
async function storedRows(client: ApiClient): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const reply = await client.get(`/api/events?limit=1000&after=${after}`);
    const page: { readonly events: readonly Row[]; readonly next: number | null } = reply.json();
    rows.push(...page.events);
    after = page.next;
  }
  return rows.sort((a, b) => (a.time === b.time ? a.id - b.id : a.time < b.time ? -1 : 1));
}

/** Returns the ids of each page. */
async function pagesByTime(client: ApiClient, query: string): Promise<number[][]> {
  const pages: number[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const reply = await client.get(`/api/events?order_by=time&${query}${at}`);
    assert.equal(reply.status, 200, reply.text);
    const page: TimePage = reply.json();
    assert.equal(page.scanned_to, page.next);
    assert.notEqual(page.next, cursor, 'a page that ends where it began');
    pages.push(page.events.map(({ id }) => id));
    cursor = page.next;
  }
  return pages;
}

/** README: "raises the limit" for whole hooks. */
const LARGE_FLAGS = ['--max-metadata-bytes', '8388608'];

async function largeRows(context: ScenarioContext): Promise<void> {
  const start = Date.now();
  const large = (LIMITS.page_bytes / 10) * 6;
  const history = [
    [90, large],
    [80, large],
    [70, 10],
    [10, 10],
    [40, 10],
    [75, large],
    [85, 10],
  ] as const;
  const fill = async (client: ApiClient): Promise<void> => {
    for (const [seconds, bytes] of history)
      await client.ingest([
        event({
          metadata: { m: 'x'.repeat(bytes) },
          client_timestamp: new Date(start - seconds * 1000).toISOString(),
        }),
      ]);
  };
  await withBoth(context, LARGE_FLAGS, fill, async (client) => {
    const pages = [];
    for (const order of ['asc', 'desc']) pages.push(await pagesByTime(client, `order=${order}`));
    assert.deepEqual(pages, [
      [[1, 7], [2], [6, 3, 5, 4]],
      [[4, 5, 3, 6], [2, 7], [1]],
    ]);
    return pages;
  });
}

async function deletedOrder(context: ScenarioContext): Promise<void> {
  const start = Date.now();
  const rows = (count: number, seconds: number): Record<string, unknown>[] =>
    Array.from({ length: count }, () =>
      event({ client_timestamp: new Date(start - seconds * 1000).toISOString() }),
    );
  const fill = async (client: ApiClient): Promise<void> => {
    // Only the rows of the first block are not late.
    await client.ingest([...rows(255, 0), ...rows(10, 50)]);
    await removed(client, '/api/events?before=256');
    await client.ingest([...rows(2, 80), ...rows(2, 50), ...rows(2, 20)]);
  };
  await withBoth(context, [], fill, async (client) => {
    const expected = (await storedRows(client)).map(({ id }) => id);
    assert.equal(expected.length, 16);
    for (const limit of [1, 3, 50]) {
      const [asc, desc] = [
        await pagesByTime(client, `order=asc&limit=${limit}`),
        await pagesByTime(client, `order=desc&limit=${limit}`),
      ];
      assert.deepEqual(asc.flat(), expected);
      assert.deepEqual(desc.flat(), expected.toReversed());
    }
    return expected;
  });
}

async function afterImport(context: ScenarioContext): Promise<void> {
  const time = new Date(Date.now() - 86_400_000).toISOString();
  const most = LIMITS.page_blocks * LIMITS.event_block_rows;
  const batch = 8192;
  const fill = async (client: ApiClient): Promise<void> => {
    await client.ingest([event({ event_type: 'error' })]);
    const late = Array.from({ length: batch }, () => event({ event_type: 'error', client_timestamp: time }));
    for (let stored = 0; stored <= most; stored += batch) await client.ingest(late);
  };
  await withBoth(context, [], fill, async (client) => {
    const reply = await client.get('/api/events?order_by=time&status=error&limit=2');
    const page: TimePage = reply.json();
    assert.deepEqual(
      page.events.map(({ id }) => id),
      [1, 1 + most + batch],
    );
    return page.next;
  });
}
