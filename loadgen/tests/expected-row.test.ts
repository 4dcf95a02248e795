/** Tests the rules of the contract as the audit applies them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import { expectedConstants } from '../src/verify/audit/expected-row.ts';

/** Returns the row of an event with these members in addition to the required ones. */
function row(members: string, maxBytes?: number) {
  return expectedConstants(
    `{"session_id":"s","agent_type":"a","event_type":"tool_use"${members && ','}${members}}`,
    maxBytes,
  );
}

test('what an event does not say has its default, and null is not said', () => {
  const absent = Object.entries(CONTRACT.fields).flatMap(([name, spec]) =>
    'default' in spec && name !== 'event_id' ? [[name, spec.default]] : [],
  );
  const defaults = {
    ...Object.fromEntries(absent),
    agent_type: 'a',
    event_type: 'tool_use',
    metadata: '{}',
    schema_version: 1,
    payload_truncated: 0,
    computed_cost_usd: null,
  };
  assert.deepEqual(row(''), defaults);
  const optional = Object.keys(defaults).filter((name) => !/schema|type|truncated|computed/.test(name));
  assert.deepEqual(row(optional.map((name) => `"${name}":null`).join(',')), defaults);
});

test('each rule of a field has its value', () => {
  for (const [members, column, value] of [
    // An event of the type error is one unless it says otherwise; of a key given twice the last counts.
    ['"event_type":" error "', 'status', 'error'],
    ['"event_type":"error","status":"timeout"', 'status', 'timeout'],
    ['"status":"error","status":null', 'status', 'success'],
    ['"metadata":1,"\\u006detadata":[2]', 'metadata', '[2]'],
    // Text is trimmed, and empty text is absent.
    ['"tool_name":"\\u00a0\\ufeff Bash\\u2028\\n"', 'tool_name', 'Bash'],
    ['"project":" \\t"', 'project', null],
    ['"tokens_in":1e2', 'tokens_in', 100],
    ['"duration_ms":0', 'duration_ms', 0],
    ['"duration_ms":-0', 'duration_ms', -0],
    // A cost is a whole number of nano-dollars, rounded half to even.
    ['"cost_usd":0.5e-9', 'cost_usd', 0],
    ['"cost_usd":1.5e-9', 'cost_usd', 2e-9],
    ['"cost_usd":2.5e-9', 'cost_usd', 2e-9],
    ['"cost_usd":2.6e-9', 'cost_usd', 3e-9],
    ['"cost_usd":0.1', 'cost_usd', 0.1],
    ['"cost_usd":1000000', 'cost_usd', 1e6],
    // Times are kept in UTC with milliseconds, finer digits cut off.
    ['"client_timestamp":"2026-02-18T18:06:41Z"', 'client_timestamp', '2026-02-18T18:06:41.000Z'],
    ['"client_timestamp":"2026-02-18t18:06:41.9999z"', 'client_timestamp', '2026-02-18T18:06:41.999Z'],
    ['"client_timestamp":"2026-02-18T18:06:41.2-00:00"', 'client_timestamp', '2026-02-18T18:06:41.200Z'],
    ['"client_timestamp":"2024-03-01T00:30:00+01:00"', 'client_timestamp', '2024-02-29T23:30:00.000Z'],
    ['"client_timestamp":"0000-01-01T00:00:00Z"', 'client_timestamp', '0000-01-01T00:00:00.000Z'],
    ['"client_timestamp":"0099-12-31T23:59:59-00:01"', 'client_timestamp', '0100-01-01T00:00:59.000Z'],
    ['"metadata":false', 'metadata', 'false'],
  ] as const)
    assert.equal(row(members)[column], value, members);
  const text = '{ "b":1.50,\r\n"a":12345678901234567890,"t":"é\\u0041\\ud800" }';
  assert.equal(row(`"metadata" : ${text} `).metadata, text, 'metadata is kept byte for byte');
});

test('metadata above the limit becomes its summary', () => {
  const big = 'x'.repeat(300);
  const text = `{"type":"t","other":"${big}","query":"${big}","error": {"a":1},"\\u0065rror":2.50}`;
  const made = row(`"metadata":${text}`, 256);
  assert.equal(made.metadata, `{"_truncated":true,"_original_bytes":${text.length},"error":2.50,"type":"t"}`);
  assert.equal(made.payload_truncated, 1);
  assert.equal(
    row(`"metadata":["${'é'.repeat(200)}"]`, 256).metadata,
    '{"_truncated":true,"_original_bytes":404}',
  );
});

test('the limit counts bytes and is itself allowed, and a summary may fill it to the last byte', () => {
  for (const bytes of [256, 257]) {
    const text = `"${'é'.repeat(100)}${'x'.repeat(bytes - 202)}"`;
    assert.equal(Buffer.byteLength(text), bytes);
    assert.equal(row(`"metadata":${text}`, 256).payload_truncated, bytes - 256);
  }
  const markers = '{"_truncated":true,"_original_bytes":600,"path":""}'.length;
  for (const over of [0, 1]) {
    const path = 'p'.repeat(256 - markers + over);
    const open = `{"path":"${path}","z":"`;
    const text = `${open}${'z'.repeat(600 - open.length - 2)}"}`;
    const kept = String(row(`"metadata":${text}`, 256).metadata);
    assert.equal(kept.length, over === 0 ? 256 : markers - ',"path":""'.length);
  }
});

test('an event of wrong types has no row', () => {
  for (const members of ['"model":1', '"tokens_in":"1"', '"cost_usd":"1"', '"client_timestamp":"today"'])
    assert.throws(() => row(members), /has no value by the contract/, members);
});
