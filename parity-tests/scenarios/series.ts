/**
 * Tests time series and the search for a text over many rows (rules SER-01 to SER-06, and GET-13).
 *
 * The events of several times exist because SQL moves the stored ones back between two starts. Over 250 lines because
 * all comparisons of series use one file that takes long to fill.
 */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { exportedIds, followedPages } from '../src/followed-pages.ts';
import { moveHours } from '../src/move-hours.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SERIES: ScenarioFile = {
  name: 'series',
  about: 'time series, and the search for a text',
  scenarios: [
    {
      name: 'stored sums, rows, and rows in pages give the same series, the same in both servers',
      rules: ['SER-01', 'SER-02', 'SER-03', 'SER-04', 'SER-05', 'SER-06'],
      uses: 'both',
      run: sameSeries,
    },
    {
      name: 'a series has a bounded number of buckets and of names',
      rules: ['SER-01', 'SER-02'],
      uses: 'both',
      run: boundedSeries,
    },
    {
      name: 'a search ends with its bytes or its blocks, and following next finds every row in every format',
      rules: ['GET-13', 'GET-12', 'FMT-08', 'FMT-09'],
      uses: 'both',
      run: searchedBytes,
    },
  ],
};

const MEMBERS = [
  'event_count',
  'error_count',
  'duration_count',
  'duration_ms',
  'tokens_in',
  'tokens_out',
  'cost_usd',
  'computed_cost_usd',
] as const;

type Line = Readonly<
  {
    name: string | null;
    durations?: readonly (readonly [ms: number, count: number])[];
    p95_ms?: number | null;
  } & Record<(typeof MEMBERS)[number], readonly number[]>
>;

interface Series {
  readonly buckets: readonly string[];
  readonly series: readonly Line[];
  readonly next: number | null;
  readonly scanned_to: number;
  readonly since: string | null;
}

const HOUR_S = 3600;
/** Hours by which the stored events move back after each part. */
const STEPS = [1, 5, 30, 24 * 40];
const PART = 26_000;

/** Stores five parts at five times. */
async function fill(context: ScenarioContext): Promise<void> {
  for (const hours of [...STEPS, 0]) {
    const server = await context.start();
    const client = context.client(server);
    for (let at = 0; at < PART; at += 6_500) {
      await client.ingest(Array.from({ length: 6_500 }, (_, index) => eventAt(at + index)));
    }
    await server.stop();
    moveHours(context.db(), -hours);
  }
}

function eventAt(at: number): Readonly<Record<string, unknown>> {
  return event({
    session_id: `s${at % 7}`,
    agent_type: `agent-${at % 2}`,
    event_type: at % 5 === 0 ? 'plan_step' : at % 11 === 0 ? 'error' : 'tool_use',
    tool_name: at % 3 === 0 ? null : `tool-${at % 4}`,
    model: `model-${at % 30}`,
    project: `p${at % 3}`,
    duration_ms: at % 2 === 0 ? at : null,
    tokens_in: at,
    cost_usd: (at % 10) / 1000,
  });
}

async function sameSeries(context: ScenarioContext): Promise<void> {
  await fill(context);
  const clients = await bothClients(context);
  let pages = 0;
  for (const bucket of ['hour', 'day'])
    for (const query of [
      '',
      'by=model',
      'by=agent_type',
      'by=tool_name',
      'by=status&agent_type=agent-1',
      'by=agent_type&model=model-7',
      'by=agent_type&tool_name=tool-1',
      'by=model&model=model-7',
      'project=p1',
      `since=${new Date(Date.now() - 36 * 3_600_000).toISOString()}&by=event_type`,
      `until=${new Date(Date.now() - 36 * 3_600_000).toISOString()}&by=event_type`,
    ]) {
      const path = `/api/series?bucket=${bucket}&${query}`;
      const [stored] = await same(clients, path);
      assert.deepEqual([stored!.next, stored!.scanned_to], [null, 0], path);
      const [rows, count] = await wholeSeries(clients, path);
      pages += count;
      assert.deepEqual(rows, columnsOf([stored!]), `${path}: rows have the stored sums`);
    }
  assert.ok(pages > 30, `${pages} pages of rows`);
  const [pair] = await wholeSeries(clients, '/api/series?by=project&model=model-7');
  const [whole] = await wholeSeries(clients, '/api/series?by=project');
  assert.ok(pair.size > STEPS.length && [...pair.keys()].every((key) => whole.has(key)));
  const [minutes] = await wholeSeries(clients, '/api/series?bucket=minute&by=agent_type&q=MODEL-7');
  const found = [...minutes.values()].reduce((sum, sums) => sum + sums[0]!, 0);
  assert.equal(found, (STEPS.length + 1) * Math.ceil((PART - 7) / 30), 'events of a text by minute');
  await addedDurations(clients);
}

/** Checks that the histograms of all pages are those of all calls, and that percentiles have the stated error. */
async function addedDurations(clients: readonly ApiClient[]): Promise<void> {
  const all = new Map<string, Map<number, number>>();
  let [pages, before]: [number, number | null] = [0, LIMITS.max_integer];
  for (; before !== null; pages++) {
    const [page]: readonly Series[] = await same(
      clients,
      `/api/series?bucket=day&by=tool_name&durations=1&before=${before}`,
    );
    for (const { name, durations, p95_ms, duration_count } of page!.series) {
      const counts = durations!.map(([, count]) => count);
      assert.equal(total(counts), total(duration_count), 'a histogram covers all buckets');
      assert.equal(p95_ms, percentileOf(durations!, 95));
      const merged = all.get(name!) ?? new Map<number, number>();
      for (const [ms, count] of durations!) merged.set(ms, (merged.get(ms) ?? 0) + count);
      all.set(name!, merged);
    }
    before = page!.next;
  }
  assert.ok(pages >= 2, `${pages} pages`);
  for (const [name, merged] of all) {
    const took = Array.from({ length: PART }, (_, at) => eventAt(at))
      .filter(({ tool_name, event_type }) => tool_name === name && event_type !== 'plan_step')
      .flatMap(({ duration_ms }) => (duration_ms as number | null) ?? []);
    assert.equal(total([...merged.values()]), (STEPS.length + 1) * took.length, name);
    for (const percent of took.length === 0 ? [] : [50, 95]) {
      // Each part has the same durations, so the percentiles of one part are those of all.
      const exact = took[Math.ceil((took.length * percent) / 100) - 1]!;
      const ms = percentileOf(
        [...merged].sort(([a], [b]) => a - b),
        percent,
      )!;
      assert.ok(ms <= exact && exact < ms * (1 + 1 / LIMITS.duration_classes), `${name}: ${ms} for ${exact}`);
    }
  }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

function percentileOf(
  durations: readonly (readonly [ms: number, count: number])[],
  percent: number,
): number | null {
  let left = Math.ceil((total(durations.map(([, count]) => count)) * percent) / 100);
  const found = durations.find(([, count]) => {
    left -= count;
    return left <= 0;
  });
  return found?.[0] ?? null;
}

/** Returns the answers of both servers, which must be equal. */
async function same(clients: readonly ApiClient[], path: string): Promise<readonly Series[]> {
  const texts = [];
  for (const client of clients) texts.push((await client.get(path)).text);
  assert.equal(texts[1], texts[0], `${path}: both servers have the same answer`);
  return texts.map((text) => JSON.parse(text) as Series);
}

/** Follows `next` through the rows; returns the sums of all pages, and their number. */
async function wholeSeries(
  clients: readonly ApiClient[],
  path: string,
): Promise<readonly [ReadonlyMap<string, readonly number[]>, number]> {
  const pages: Series[] = [];
  let before: number | null = LIMITS.max_integer;
  while (before !== null) {
    const [page] = await same(clients, `${path}&before=${before}`);
    assert.equal(page!.scanned_to, page!.next ?? 0);
    pages.push(page!);
    before = page!.next;
  }
  return [columnsOf(pages), pages.length];
}

/** Returns the sums of each name and bucket. Names without one of their own are one: pages list different names. */
function columnsOf(pages: readonly Series[]): ReadonlyMap<string, readonly number[]> {
  const all = new Map<string, number[]>();
  for (const { buckets, series } of pages)
    for (const line of series)
      for (const [place, bucket] of buckets.entries()) {
        const name = line.name?.startsWith('model-') ? 'a model' : (line.name ?? 'a model');
        const sums = all.get(`${name} ${bucket}`) ?? MEMBERS.map(() => 0);
        for (const [at, member] of MEMBERS.entries()) sums[at]! += line[member][place]!;
        all.set(`${name} ${bucket}`, sums);
      }
  // Costs are sums of doubles in another order.
  for (const sums of all.values()) sums[6] = Math.round(sums[6]! * 1e6);
  for (const [key, sums] of all) if (sums[0] === 0) all.delete(key);
  return new Map([...all].sort());
}

async function boundedSeries(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await context
    .client(server)
    .ingest(Array.from({ length: 30 }, (_, index) => event({ model: `m${index % 25}` })));
  await server.stop();
  copyHours(context.db(), LIMITS.series_buckets + 10);
  const clients = await bothClients(context);
  for (const [bucket, count] of [
    ['hour', LIMITS.series_buckets],
    ['day', Math.ceil((LIMITS.series_buckets + 11) / 24)],
  ] as const) {
    const [series] = await same(clients, `/api/series?bucket=${bucket}&by=model`);
    assert.ok(Math.abs(series!.buckets.length - count) <= 1, `${bucket}: ${series!.buckets.length}`);
    assert.equal(series!.series.length, LIMITS.series_names + 1);
    assert.deepEqual(
      series!.series.slice(0, 6).map(({ name }) => name),
      ['m0', 'm1', 'm2', 'm3', 'm4', 'm10'],
    );
    assert.equal(series!.series.at(-1)!.name, null);
    if (bucket === 'day') continue;
    const [older] = await same(clients, `/api/series?bucket=hour&until=${series!.since}`);
    assert.equal(older!.buckets.length, 11, 'a request until the beginning continues');
  }
}

/** Adds sums of as many earlier hours as of the stored hour. */
function copyHours(file: string, count: number): void {
  const db = new Database(file);
  const { open } = db.prepare("SELECT value AS open FROM meta WHERE key = 'open_quarter'").get() as {
    open: number;
  };
  const columns = (db.pragma('table_info(stats)') as { name: string }[]).map(({ name }) => name).slice(1);
  const stats = db.prepare(
    `INSERT INTO stats SELECT quarter - ?, ${columns.join(', ')} FROM stats WHERE quarter = ?`,
  );
  db.transaction(() => {
    for (let at = 1; at <= count; at++) {
      stats.run(at * HOUR_S, open);
    }
  })();
  db.close();
}

async function searchedBytes(context: ScenarioContext): Promise<void> {
  const filler = await context.start();
  const client = context.client(filler);
  const blockRows = LIMITS.event_block_rows;
  const bytes = 6_000;
  // Three pages of long metadata, and more than one of short.
  const long = Math.ceil((2.5 * LIMITS.page_search_bytes) / bytes);
  const short = Math.ceil(1.2 * LIMITS.page_blocks * blockRows);
  const found = new Set([1, 300, long - 1, long + 1, long + short - 1]);
  for (let id = 1; id <= long + short; ) {
    const isLong = id <= long;
    const count = Math.min(isLong ? 500 : 8_000, (isLong ? long : long + short) - id + 1);
    const first = id;
    await client.ingest(
      Array.from({ length: count }, (_, index) => {
        const word = found.has(first + index) ? 'Needle_' : 'needle';
        return event({ metadata: { word, text: isLong ? 'n'.repeat(bytes) : '' } });
      }),
    );
    id += count;
  }
  await filler.stop();
  const clients = await bothClients(context);
  const expected = [...found].sort((a, b) => a - b);
  for (const order of ['asc', 'desc'] as const) {
    const ids = order === 'asc' ? expected : expected.toReversed();
    const lists = [];
    for (const one of clients) lists.push(await followedPages(one, 'q=nEEdle_', order));
    assert.deepEqual(lists[1], lists[0], `${order}: both servers have the same pages`);
    assert.deepEqual(
      lists[0]!.flatMap((page) => page.ids),
      ids,
    );
    assert.ok(lists[0]!.length >= 4, `${lists[0]!.length} pages`);
    for (const one of clients) {
      for (const format of ['msgpack', 'protobuf'] as const)
        assert.deepEqual(await followedPages(one, 'q=needle_', order, format), lists[0], format);
      for (const format of ['ndjson', 'arrow'] as const)
        assert.deepEqual(await exportedIds(one, `q=needle_&order=${order}&limit=1000000`, format), ids);
    }
  }
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
