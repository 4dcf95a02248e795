/** Tests the pure parts: formatted figures and texts, exact metadata, filters of the address, a session's status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session, SessionStatus } from '../src/api.ts';
import { filterQuery, queryOf, viewOf } from '../src/filters.ts';
import {
  bytes,
  dollars,
  duration,
  legible,
  legibleJson,
  metadataSize,
  percent,
  short,
  span,
  whole,
} from '../src/format.ts';
import { hourly } from '../src/hourly.ts';
import { indented, memberText } from '../src/json-text.ts';
import { Rate } from '../src/rate.ts';
import { statusAt, timeoutOf } from '../src/session-status.ts';

test('figures are short and keep their width', () => {
  assert.deepEqual([0, 999, 1000, 1234, 12_345, 999_499, 999_500, 45_600_000].map(short), [
    ...['0', '999', '1.00k', '1.23k', '12.3k', '999k', '1.00M', '45.6M'],
  ]);
  assert.deepEqual([0, 812, 4_100_000].map(bytes), ['0 B', '812 B', '4.10 MB']);
  const cut = (size: number | null) =>
    metadataSize(10_200, { payload_truncated: true, metadata_bytes: size });
  assert.deepEqual(
    [cut(4_100_000), cut(null), cut(10_200)],
    ['10.2 kB of 4.10 MB', '10.2 kB, a summary', '10.2 kB'],
  );
  assert.equal(metadataSize(812, { payload_truncated: false, metadata_bytes: null }), '812 B');
  assert.deepEqual([0, 0.0042, 0.05, 12.3, 319.87, 12_345].map(dollars), [
    ...['$0.00', '$0.0042', '$0.050', '$12.30', '$320', '$12.3k'],
  ]);
  assert.deepEqual([0, 0.004, 0.0994, 0.5].map(percent), ['0 %', '0.4 %', '9.9 %', '50 %']);
  assert.deepEqual([0, 820, 4200, 200_000].map(duration), ['0 ms', '820 ms', '4.2 s', '3 m 20 s']);
  assert.deepEqual([-5, 59_000, 3_600_000, 90_000_000].map(span), ['0 s', '59 s', '1 h', '1 d 1 h']);
  assert.equal(whole(1_234_567), '1,234,567');
});

test('untrusted text is one line without invisible characters', () => {
  assert.equal(legible('a\n\tb\u2028c'), 'a  b c');
  assert.equal(legible('safe\u202eexe.txt\u2066\u0000\ufeff'), 'safe\\u202eexe.txt\\u2066\\u0000\\ufeff');
  assert.equal(legible('<img src=x onerror=alert(1)>'), '<img src=x onerror=alert(1)>');
  assert.equal(legibleJson('{\n  "a": "\u202eb"\n}'), '{\n  "a": "\\u202eb"\n}');
  assert.equal(legible('x'.repeat(1e6), 10), `${'x'.repeat(10)}…`);
});

const EXACT = [
  '{"n": 12345678901234567890123, "f":1.0, "e":1E+2, "z":-0}',
  '[ 1 ,\t2 ]',
  '"text with \\"quotes\\", {braces} and \\ud800 alone"',
  '{"metadata":{"metadata":1},"a":[{"b":"]"}]}',
  'true',
  '{}',
];

test('metadata is extracted from an answer as sent', () => {
  for (const text of EXACT) {
    const row = `{"id":7,"session_id":"a\\"metadata\\":1","payload_truncated":false,"metadata":${text}}`;
    assert.equal(memberText(row, 'metadata'), text);
    assert.equal(memberText(`{"metadata":${text},"id":7}`, 'metadata'), text);
    assert.equal(memberText(row, 'id'), '7');
  }
  assert.equal(
    memberText('{ "a" : 1 , "\\u0061" : 2 }', 'a'),
    '2',
    'the last one counts, however it is spelled',
  );
  assert.equal(memberText('{"b":{"a":1}}', 'a'), undefined);
  assert.equal(memberText('{}', 'a'), undefined);
});

test('formatted metadata differs only in white space between tokens', () => {
  assert.equal(indented('{"a":[1,{"b":[]}],"c":{}}'), JSON.stringify({ a: [1, { b: [] }], c: {} }, null, 2));
  for (const text of EXACT)
    assert.equal(indented(text).replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''), text);
});

test('the address holds any view', () => {
  const query = '?session_id=a%26b%3D%C3%A9&event_type=tool_use&q=x+y&event=12';
  const view = viewOf(query);
  assert.deepEqual(view, {
    filters: { session_id: 'a&b=é', event_type: 'tool_use' },
    search: 'x y',
    event: 12,
    range: null,
  });
  assert.equal(queryOf(view), query);
  assert.equal(queryOf(viewOf('?range=week&q=x&model=m')), '?model=m&range=week&q=x');
  assert.equal(viewOf('?range=year').range, null);
  assert.equal(
    queryOf(viewOf('?event_type=tool_use&session_id=a%26b%3D%C3%A9&event=12&q=x+y&other=1')),
    query,
  );
  assert.equal(queryOf(viewOf('')), '');
  for (const event of ['', '0', '-1', '1.5', '1e3', '9007199254740992', 'x'])
    assert.equal(viewOf(`?event=${event}`).event, null, event);
  assert.equal(String(filterQuery({ model: 'm', agent_type: 'a' })), 'agent_type=a&model=m');
});

const AT = Date.parse('2026-01-01T00:00:00Z');
const session = (age_s: number, status: SessionStatus, ended_at: string | null = null) =>
  ({ status, ended_at, live_at: new Date(AT - age_s * 1000).toISOString() }) as Session;

test('a session becomes idle and ended as time passes', () => {
  const timeout_ms = 300_000;
  const statuses = [0, 299, 300, 599, 600].map((age_s) => statusAt(session(age_s, 'active'), AT, timeout_ms));
  assert.deepEqual(statuses, ['active', 'active', 'idle', 'idle', 'ended']);
  assert.equal(statusAt(session(1, 'ended', 'x'), AT, timeout_ms), 'ended');
  const imported = { ...session(0, 'ended'), live_at: null };
  assert.equal(statusAt(imported, AT, timeout_ms), 'ended');
  assert.equal(timeoutOf([imported], AT), 300_000);
});

test('the timeout is the default unless an answer contradicts it', () => {
  assert.equal(timeoutOf([], AT), 300_000);
  assert.equal(
    timeoutOf([session(10, 'active'), session(400, 'idle'), session(1, 'ended', 'x')], AT),
    300_000,
  );
  assert.equal(timeoutOf([session(400, 'active')], AT), 420_000);
  assert.equal(timeoutOf([session(90, 'idle')], AT), 60_000);
  assert.equal(timeoutOf([session(130, 'ended')], AT), 60_000);
  for (const timeout_s of [60, 300, 1200]) {
    const all = [5, 100, 200, 400, 700, 1300, 2500].map((age_s) =>
      session(age_s, age_s < timeout_s ? 'active' : age_s < 2 * timeout_s ? 'idle' : 'ended'),
    );
    const timeout_ms = timeoutOf(all, AT);
    for (const one of all) assert.equal(statusAt(one, AT, timeout_ms), one.status);
  }
});

test('hours without events are in the plot', () => {
  const bucket = (hour: number) => ({
    bucket: new Date(hour * 3_600_000).toISOString(),
    cost_usd: 1,
    computed_cost_usd: 0,
    tokens_in: hour,
    tokens_out: 0,
    event_count: 1,
  });
  const { at, tokens_in } = hourly([bucket(1000), bucket(1003)], 1004);
  assert.equal(at.length, 24);
  assert.deepEqual(tokens_in.slice(-5), [1000, 0, 0, 1003, 0]);
  assert.equal(at.at(-1), 1004 * 3600);
  assert.equal(hourly([bucket(1)], 1004).at.length, 168);
});

test('the rate before a reload comes from rows, without counting an event twice', () => {
  const row = (id: number, second: number) => ({ id, time: new Date(second * 1000).toISOString() });
  const rate = new Rate(6);
  rate.hear(1_003_500, 4);
  rate.hear(1_004_500, 6);
  rate.fill([row(6, 1004), row(5, 1003.8), row(4, 1003), row(3, 1001), row(2, 1001), row(1, 999)], 999_000);
  assert.deepEqual(rate.series(1_005_000)[1], [null, 0, 2, 0, 1, 2]);
  const lost = new Rate(6);
  lost.hear(1_000_000, 1);
  lost.lose();
  for (const ms of [1_001_500, 1_002_500]) lost.tick(ms);
  lost.hear(1_003_000, 3);
  lost.fill([row(3, 1002), row(2, 1002), row(1, 1000)], 998_000);
  assert.deepEqual(lost.series(1_004_000)[1].slice(1), [0, 0, 0, 2, 0]);
});

test('the rate counts ids, and nothing for times without a connection', () => {
  const rate = new Rate(6);
  rate.hear(1_000_100, 500);
  rate.hear(1_000_600, 510);
  rate.hear(1_001_000, 530);
  rate.lose();
  rate.tick(1_002_500);
  rate.hear(1_003_200, 9000);
  rate.hear(1_003_900, 9005);
  assert.deepEqual(rate.series(1_005_000), [
    [999, 1000, 1001, 1002, 1003, 1004],
    [null, 10, 20, null, 5, 0],
  ]);
  assert.equal(rate.recent(1_005_000), 7);
});
