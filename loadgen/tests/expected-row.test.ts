/** Tests the rules of the contract as the audit applies them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import { expectedConstants } from '../src/verify/audit/expected-row.ts';

const REQUIRED = '"session_id":"s","agent_type":"a","event_type":"tool_use"';

/** Returns the row of an event with these members in addition to the required ones. */
function row(members: string, maxBytes?: number) {
  return expectedConstants(`{${[REQUIRED, members].filter(Boolean).join()}}`, maxBytes);
}

test('what an event does not say has its default, and null is not said', () => {
  const absent = Object.entries(CONTRACT.fields).flatMap(([name, spec]) =>
    'default' in spec && name !== 'event_id' ? [[name, spec.default]] : [],
  );
  const defaults = {
    ...Object.fromEntries(absent),
    ...{ agent_type: 'a', event_type: 'tool_use', metadata: '{}' },
    ...{ schema_version: 1, payload_truncated: 0, computed_cost_usd: null },
  };
  assert.deepEqual(row(''), defaults);
  const optional = Object.keys(defaults).filter((name) => !/schema|type|truncated|computed/.test(name));
  assert.deepEqual(row(optional.map((name) => `"${name}":null`).join(',')), defaults);
});

test('each rule of a field has its value, and an event of wrong types has no row', () => {
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
  for (const members of ['"model":1', '"tokens_in":"1"', '"cost_usd":"1"', '"client_timestamp":"today"'])
    assert.throws(() => row(members), /has no value by the contract/, members);
});

test('metadata above the limit becomes its summary, which may fill the limit to the last byte', () => {
  const big = 'x'.repeat(300);
  const text = `{"type":"t","other":"${big}","query":"${big}","error": {"a":1},"\\u0065rror":2.50}`;
  const head = '{"_truncated":true,"_original_bytes":';
  for (const [metadata, summary] of [
    [text, `${head}${text.length},"error":2.50,"type":"t"}`],
    [`["${'é'.repeat(200)}"]`, `${head}404}`],
    [`{"path":"${'p'.repeat(205)}","z":"${big}"}`, `${head}523,"path":"${'p'.repeat(205)}"}`],
    [`{"path":"${'p'.repeat(206)}","z":"${big}"}`, `${head}524}`],
  ] as const) {
    const made = row(`"metadata":${metadata}`, 256);
    assert.deepEqual([made.metadata, made.payload_truncated], [summary, 1]);
  }
  // The limit counts bytes, and is itself allowed.
  const truncated = (letters: number) => row(`"metadata":"${'é'.repeat(letters)}"`, 256).payload_truncated;
  assert.deepEqual([truncated(127), truncated(128)], [0, 1]);
});
