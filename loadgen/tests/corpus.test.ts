/** Tests that a corpus keeps every byte except its two ids, whatever form its lines have. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool, type Pool } from '../src/load/pool.ts';
import { TemplateError } from '../src/load/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-corpus-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function load(content: string | Buffer, most = 1000): Promise<Pool> {
  const file = join(folder, `${files++}.ndjson`);
  writeFileSync(file, content);
  return loadPool({ corpus: file, seed: 1, most, ids: 'random' });
}

/** Returns the body with every UUID replaced by a blank one. */
function blanked(pool: Pool, count: number): string {
  return batchBody(pool, { first: 0, count })
    .toString()
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#');
}

const METADATA =
  '{ "b":1.50,\t"a":12345678901234567890,"event_id":"inner","t":"\\ud800 \u2028 é \\"session_id\\":\\"x\\"" }';

test('only the ids of the event itself change; metadata keeps its bytes', async () => {
  const line = `{"session_id":"s-1", "metadata":${METADATA},"event_id":"toolu_01","agent_type":"codex","event_type":"error"}`;
  const pool = await load(`${line}\n`);
  const wanted = line.replace('"s-1"', '"#"').replace('"toolu_01"', '"#"');
  assert.equal(blanked(pool, 1), `{"events":[${wanted}]}`);
});

test('an event without an id, or with a blank one, gets none', async () => {
  const pool = await load(
    '{"session_id":"a"}\n{"event_id":null,"session_id":"\\u0061"}\n{"event_id":" ","session_id":"b"}\n',
  );
  assert.equal(
    blanked(pool, 3),
    '{"events":[{"session_id":"#"},{"event_id":null,"session_id":"#"},{"event_id":" ","session_id":"#"}]}',
  );
  assert.equal(pool.facts.with_event_id, 0);
  assert.equal(pool.facts.sessions, 2, 'sessions are told apart by value, not by spelling');
  for (const id of ['""', '" \\t"', '"\\u00a0\\u0020"', '"\u2003"'])
    assert.equal((await load(`{"session_id":"a","event_id":${id}}`)).facts.with_event_id, 0, id);
});

test('of a key given twice the last counts, and escapes in keys are resolved', async () => {
  const pool = await load(
    '{"session_id":"a","session_id":"b","event\\u005fid":"x"}\n{"event_id":"x","event_id":7,"session_id":"b"}',
  );
  assert.equal(
    blanked(pool, 2),
    '{"events":[{"session_id":"a","session_id":"#","event\\u005fid":"#"},{"event_id":"x","event_id":7,"session_id":"#"}]}',
  );
  assert.equal(pool.facts.sessions, 1);
});

test('events of one session stay in one session, a fresh one each repetition', async () => {
  const pool = await load('{"session_id":"a","n":1}\n{"session_id":"b","n":2}\n{"session_id":"a","n":3}\n');
  const { events } = JSON.parse(batchBody(pool, { first: 0, count: 6 }).toString()) as {
    events: { session_id: string }[];
  };
  const ids = events.map((event) => event.session_id);
  assert.equal(ids[0], ids[2]);
  assert.equal(ids[3], ids[5]);
  assert.equal(new Set(ids).size, 4);
});

test('gzip is read by its content, and not more than is needed is kept', async () => {
  const lines = Array.from({ length: 50 }, (_, i) => `{"session_id":"s","n":${i}}`).join('\n');
  const [plain, packed] = [await load(lines), await load(gzipSync(lines))];
  assert.equal(packed.facts.sha256, plain.facts.sha256);
  assert.equal((await load(gzipSync(lines), 7)).events, 7);
});

test('what cannot be an event is named by its line', async () => {
  const message = (text: RegExp) => (error: unknown) =>
    error instanceof TemplateError && text.test(error.message);
  for (const [corpus, text] of [
    ['{"session_id":"a"}\n{"session_id":', /line 2 of the corpus is not JSON/],
    ['[1]', /line 1 of the corpus is not a JSON object/],
    ['{"session_id":7}', /line 1 of the corpus has no session_id/],
    ['null', /is not a JSON object/],
    ['{"session_id":"a","session_id":[]}', /has no session_id/],
    ['\n', /holds no event/],
  ] as const)
    await assert.rejects(load(corpus), message(text));
});
