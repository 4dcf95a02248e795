/** Tests filters over more rows than one summary covers (rules GET-03, GET-05): a summary must hide no row. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { checkSummaries } from '../src/check-summaries.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const FILTERS: ScenarioFile = {
  name: 'filters',
  about: 'filters over many rows',
  sharesStreams: true,
  scenarios: [
    {
      name: 'a filter finds every row of every span, and no other',
      rules: ['GET-03', 'GET-05'],
      uses: 'each',
      run: rareRows,
    },
  ],
};

const SPAN_ROWS = 65_536;
const BATCH = 1_000;
/** More names than a span keeps (limits.event_span_names). */
const MANY_NAMES = 1_100;

interface Page {
  readonly events: readonly { readonly id: number }[];
  readonly next: number | null;
}

async function rareRows(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  let client = context.client(first);
  const rare: number[] = [];
  const fill = async (upTo: number) => {
    for (let last = 0; last < upTo; ) {
      const { ids } = await client.ingest(Array.from({ length: BATCH }, () => event({ tool_name: 'Bash' })));
      last = ids.at(-1)!;
    }
  };
  const addRare = async (fields: Record<string, unknown> = {}) => {
    const found = event({ session_id: 'rare', tool_name: 'rare', ...fields });
    rare.push(...(await client.ingest([found, found])).ids);
  };
  // Fills the first span. The next span starts between two events of one batch.
  await addRare();
  await fill(SPAN_ROWS - BATCH);
  const edge = Array.from({ length: BATCH + 10 }, (_, index) =>
    event(index >= BATCH - 5 && index < BATCH + 5 ? { session_id: 'rare', tool_name: 'rare' } : {}),
  );
  const at = (await client.ingest(edge)).ids;
  rare.push(...at.slice(BATCH - 5, BATCH + 5));
  assert.ok(
    rare.some((id) => id < SPAN_ROWS) && at.at(-1)! > SPAN_ROWS,
    'rare rows on both sides of the edge',
  );
  // Fills a span with more names than it keeps. A restarted server continues this span.
  await client.ingest(Array.from({ length: MANY_NAMES }, (_, index) => event({ branch: `branch-${index}` })));
  await addRare();
  await first.stop();
  const second = await context.start();
  client = context.client(second);
  await addRare({ branch: 'branch-7' });
  await fill(2 * SPAN_ROWS);
  await addRare({ status: 'error' });

  const newest = rare.toReversed();
  for (const filter of [
    'tool_name=rare',
    'session_id=rare',
    'tool_name=rare&session_id=rare&agent_type=agent',
  ]) {
    assert.deepEqual(await page(client, `limit=1000&${filter}`), newest, filter);
    assert.deepEqual(await page(client, `limit=1000&order=asc&${filter}`), rare, `${filter}, oldest first`);
    assert.deepEqual(
      await paged(client, `${filter}&before=${SPAN_ROWS}`),
      newest.filter((id) => id < SPAN_ROWS),
    );
    assert.deepEqual(
      await paged(client, `${filter}&after=${SPAN_ROWS}`),
      rare.filter((id) => id > SPAN_ROWS),
    );
  }
  assert.deepEqual(await page(client, 'tool_name=rare&status=error'), newest.slice(0, 2));
  assert.deepEqual(await page(client, 'tool_name=rare&branch=branch-7'), newest.slice(2, 4));
  assert.equal((await page(client, 'branch=branch-7')).length, 3);
  assert.deepEqual(await page(client, 'tool_name=rare&branch=branch-8'), []);

  await second.stop();
  const check = checkSummaries(context.db());
  assert.deepEqual(check.problems, []);
  assert.deepEqual({ spans: check.spans, open: check.open_spans }, { spans: 3, open: 1 });
  context.note(`${rare.length} rows found in ${check.blocks} blocks and ${check.spans} spans`);
}

async function page(client: ApiClient, query: string): Promise<readonly number[]> {
  const reply = await client.get(`/api/events?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.json<Page>().events.map(({ id }) => id);
}

/** Returns all pages of three rows, each from the cursor of the one before. */
async function paged(client: ApiClient, query: string): Promise<readonly number[]> {
  const ids: number[] = [];
  const cursor = /(before|after)=\d+/;
  for (let asked = query; ; ) {
    const { events, next } = (await client.get(`/api/events?limit=3&${asked}`)).json<Page>();
    ids.push(...events.map(({ id }) => id));
    if (next === null) return ids;
    asked = asked.replace(cursor, `$1=${next}`);
  }
}
