import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from './buffers.ts';
import { EventTable, RawEvents } from './event.ts';
import { FIELD, TRUNCATED } from './field.ts';
import { scanEvent } from './json.ts';
import { validator } from './validate.ts';

const VALID = { session_id: 's', agent_type: 'a', event_type: 'tool_use' };

function check(text: string, maxMetadataBytes = 10_240): { table: EventTable; problems: string[] } {
  const body = Buffer.from(text);
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw), text);
  const table = new EventTable(body, 1, new Buffers());
  const errors = validator(raw, table, maxMetadataBytes)(0) ?? [];
  return { table, problems: errors.map(({ field, message }) => `${field}: ${message}`) };
}

/** Returns the text of a range of the table; `undefined` when it is absent. */
function textAt(table: EventTable, column: number): string | undefined {
  const [start, end] = [table.ints[column]!, table.ints[column + 1]!];
  if (start === end) return undefined;
  const behind = table.body.length;
  if (start < behind) return table.body.toString('utf8', start, end);
  return table.extra?.toString('utf8', start - behind, end - behind);
}

test('validation reports every problem in the order of the contract', () => {
  const { problems } = check(
    '{"source":"x","cost_usd":-1,"status":3,"agent_type":" ","duration_ms":1.5,"client_timestamp":"2026"}',
  );
  assert.deepEqual(problems, [
    'session_id: must be a string',
    'agent_type: must be a non-empty string',
    'event_type: must be a string',
    'status: must be a string when provided',
    'duration_ms: must be a non-negative integer when provided',
    'cost_usd: must be a non-negative number when provided',
    'client_timestamp: must be a valid timestamp',
    'source: must be one of: api, hook, otel, import',
  ]);
});

test('validation trims in place and decodes only where needed', () => {
  const { table, problems } = check(
    '{"session_id":"\u3000é s ","agent_type":"\\u0061 ","event_type":" error ","tool_name":" ","event_id":null,"model":"m"}',
  );
  assert.deepEqual(problems, []);
  assert.equal(textAt(table, FIELD.session_id.column), 'é s');
  assert.equal(textAt(table, FIELD.agent_type.column), 'a');
  assert.equal(textAt(table, FIELD.tool_name.column), undefined);
  assert.equal(textAt(table, FIELD.event_id.column), undefined);
  assert.equal(textAt(table, FIELD.model.column), 'm');
  assert.equal(table.ints[FIELD.event_type.column], 3);
  assert.equal(table.ints[FIELD.status.column], 1);
  assert.equal(table.ints[FIELD.source.column], 0);
});

test('lengths are UTF-8 bytes after trimming', () => {
  const of = (model: string) => check(JSON.stringify({ ...VALID, model })).problems;
  assert.deepEqual(of(` ${'é'.repeat(128)} `), []);
  assert.deepEqual(of(`${'é'.repeat(128)}x`), ['model: must be at most 256 bytes']);
});

test('ill-formed text is reported before other problems', () => {
  for (const [escaped, field] of [
    ['\\u0000', 'session_id'],
    ['\\ud800', 'agent_type'],
    ['x\\udc00', 'event_type'],
    ['\\u0000', 'source'],
    ['\\ud800', 'client_timestamp'],
  ]) {
    const text = JSON.stringify({ ...VALID, [field!]: '@' }).replace('@', escaped!);
    assert.deepEqual(check(text).problems, [`${field}: must be well-formed text`], text);
  }
});

test('numbers and absent numbers have their values', () => {
  const { table, problems } = check(
    JSON.stringify({ ...VALID, duration_ms: 0, tokens_in: 5, cost_usd: 0.1 }),
  );
  assert.deepEqual(problems, []);
  assert.equal(table.numbers[FIELD.duration_ms.column], 0);
  assert.equal(table.numbers[FIELD.tokens_in.column], 5);
  assert.equal(table.numbers[FIELD.tokens_out.column], 0);
  assert.equal(table.numbers[FIELD.cost_usd.column], 100_000_000);
  assert.ok(Number.isNaN(table.numbers[FIELD.client_timestamp.column]));
  const infinite = `${JSON.stringify(VALID).slice(0, -1)},"cost_usd":1e400}`;
  assert.deepEqual(check(infinite).problems, ['cost_usd: must be at most 1000000']);
});

test('metadata stays in the body, or becomes a summary', () => {
  const text = `${JSON.stringify(VALID).slice(0, -1)},"metadata": {"a" : 1.0} }`;
  const kept = check(text).table;
  assert.equal(textAt(kept, FIELD.metadata.column), '{"a" : 1.0}');
  assert.equal(kept.ints[TRUNCATED], 0);
  const long = check(JSON.stringify({ ...VALID, metadata: { type: 't', z: 'z'.repeat(300) } }), 256).table;
  assert.equal(textAt(long, FIELD.metadata.column), '{"_truncated":true,"_original_bytes":319,"type":"t"}');
  assert.equal(long.ints[TRUNCATED], 1);
});

test('an item that is not an object has one problem', () => {
  assert.deepEqual(check('[1]').problems, ['body: must be a JSON object']);
});

test('the row of an invalid item is reused', () => {
  const body = Buffer.from(JSON.stringify({ ...VALID, session_id: 5 }));
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw));
  const table = new EventTable(body, 1, new Buffers());
  assert.equal(validator(raw, table, 256)(0)?.length, 1);
  assert.equal(table.count, 0);
});
