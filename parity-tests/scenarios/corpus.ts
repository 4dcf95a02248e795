/**
 * Sends a file of real events through both servers: same ids, same answers, same rows, same statistics, and metadata
 * as sent.
 *
 * `--corpus` or `TWIN_CORPUS` names the file: one event a line, gzipped or not. Without it the scenario is skipped
 * with a message.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { itemSpans, memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { normaliseBody } from '../src/differential/normalise.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { snapshot } from '../src/snapshot.ts';

export const CORPUS: ScenarioFile = {
  name: 'corpus',
  about: 'real events through both servers',
  scenarios: [
    {
      name: 'made-up payloads follow the mapping with whole metadata',
      rules: ['MET-01', 'LAW'],
      uses: 'both',
      run: (context) => replay(context, 1_048_576),
    },
    {
      name: 'made-up payloads follow the mapping with the default limit',
      rules: ['MET-02', 'LAW'],
      uses: 'both',
      run: (context) => replay(context, undefined),
    },
  ],
};

const BATCH = 50;
const PAGE = 200;
const DEFAULT_LIMIT = 10_240;

async function replay(context: ScenarioContext, limit: number | undefined): Promise<void> {
  const { corpus } = context.options;
  if (corpus === undefined) context.skip('no file of events: give one with --corpus or TWIN_CORPUS');
  const lines = readLines(corpus);
  const flags = limit === undefined ? [] : ['--max-metadata-bytes', String(limit)];
  const targets = ['rs', 'ts'] as const;
  const servers = await Promise.all(
    targets.map((target) => context.start({ target, db: context.db(`${target}.db`), flags })),
  );
  const clients = servers.map((server) => context.client(server));
  const sent = new Map<number, string>();
  for (let at = 0; at < lines.length; at += BATCH) {
    const batch = lines.slice(at, at + BATCH);
    const body = Buffer.from(`{"events":[${batch.join(',')}]}`);
    const texts = await both(
      clients,
      async (client) => (await client.send('POST', '/api/events/batch?results=1', body, [])).text,
    );
    assert.equal(texts[1], texts[0], `the answer to lines ${at + 1} to ${at + batch.length}`);
    const { results } = JSON.parse(texts[0]!) as { results: { index: number; id?: number }[] };
    for (const { index, id } of results) if (id !== undefined) sent.set(id, batch[index]!);
  }
  const rows = await compareRows(clients, sent, limit ?? DEFAULT_LIMIT);
  assert.equal(rows, sent.size);
  const [one, other] = await both(clients, async (client) => {
    const { epoch: _, ...texts } = await snapshot(client);
    return JSON.stringify(
      texts,
      (_key, value) => (typeof value === 'string' ? normaliseBody(value) : value),
      2,
    );
  });
  assert.equal(other, one);
  context.note(`${lines.length} events, ${rows} stored alike`);
}

/** Compares every row of the two, and metadata with the sent one. Returns the number of rows. */
async function compareRows(
  clients: readonly ApiClient[],
  sent: ReadonlyMap<number, string>,
  limit: number,
): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const [one, other] = await both(
      clients,
      async (client) => (await client.get(`/api/events?after=${after}&limit=${PAGE}`)).text,
    );
    assert.equal(normaliseBody(other!), normaliseBody(one!), `the page after ${after}`);
    const rows = itemSpans(memberText(one!, 'events')!);
    for (const row of rows) {
      const id = Number(memberText(row, 'id'));
      const original = memberText(sent.get(id)!, 'metadata') ?? 'null';
      const expected = original === 'null' ? '{}' : original;
      if (Buffer.byteLength(expected) <= limit)
        assert.equal(memberText(row, 'metadata'), expected, `metadata of ${id}`);
      else
        assert.equal(
          memberText(row, 'payload_truncated'),
          'true',
          `metadata of ${id} is larger than ${limit}`,
        );
    }
    count += rows.length;
    const next = memberText(one!, 'next');
    if (next === 'null') return count;
    after = Number(next);
  }
}

function both<T>(clients: readonly ApiClient[], ask: (client: ApiClient) => Promise<T>): Promise<T[]> {
  return Promise.all(clients.map(ask));
}

function readLines(file: string): string[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  return text.split('\n').filter((line) => line.trim() !== '');
}
