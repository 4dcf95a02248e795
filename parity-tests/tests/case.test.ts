/** Tests case files: files that the schema accepts and refuses, and the resulting requests. */
// biome-ignore-all lint/suspicious/noThenProperty: this is what a case calls the answer
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { CaseFileError, type CaseRequest, createChecker, loadCaseFiles } from '../src/case.ts';
import { atPointer, fill, newPlaceholders } from '../src/placeholders.ts';
import { buildRequest } from '../src/request.ts';
import { ROW_COLUMNS, wholeRow, withWholeRowTexts } from '../src/stored-row.ts';

const check = createChecker();
const GOOD = { name: 'a', rule: 'ING-01', when: { path: '/livez' }, then: { status: 200, body: 'x' } };

test('every case file of the suite is valid', () => {
  assert.ok(loadCaseFiles().length > 0);
});

test('a case file is accepted or refused as a whole', () => {
  assert.equal(checked([GOOD]).cases.length, 1);
  const wrong: readonly unknown[] = [
    { ...GOOD, rule: 'ing-1' },
    { ...GOOD, rule: [] },
    { ...GOOD, extra: 1 },
    { ...GOOD, then: { status: 200 } },
    { ...GOOD, then: { status: 200, body: 'x', json: {} } },
    { ...GOOD, then: { status: 200, body: 'x', headers: 'unknown-set' } },
    { ...GOOD, when: { json: {} } },
    { ...GOOD, when: { path: '/', raw: 'x' } },
    { ...GOOD, when: { path: '/', then: { status: 200, body: '' } } },
    { ...GOOD, then_also: [{ path: '/' }] },
    { ...GOOD, stored: { query: '' } },
  ];
  for (const one of wrong) assert.throws(() => checked([one]), CaseFileError, JSON.stringify(one));
  assert.throws(() => checked([GOOD, GOOD]), /two cases are named a/);
  assert.throws(() => check('a.json', '{'), CaseFileError);
});

test('the columns of a whole row match the view', () => {
  const sql = readFileSync(new URL('../../contract/migrations/0001_init.sql', import.meta.url), 'utf8');
  const view = sql.slice(sql.indexOf('CREATE VIEW events_readable'));
  const columns = [...view.matchAll(/(?:AS (\w+)|^ {2}e\.(\w+)),?$/gm)].map(([, named, own]) => named ?? own);
  assert.deepEqual(
    columns.filter((name) => name !== 'e'),
    ROW_COLUMNS,
  );
  assert.throws(() => wholeRow({ colour: 'red' }), /no column/);
  const text = withWholeRowTexts('[<row>{"cost_usd":1e-7,"metadata":{"a" : 1.0}}</row>,1]');
  assert.ok(text.startsWith('[{"id":<any-id>,"event_id":null,"schema_version":1,') && text.endsWith('}},1]'));
  assert.match(text, /"cost_usd":1e-7,.*"created_at":"<any-timestamp>",.*"metadata":\{"a" : 1.0\}/);
});

test("a request has the case's values and the defaults", () => {
  assert.equal(wire({ path: '/a' }), 'GET /a HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n');
  const post = wire({ path: '/a', json: { b: 1 } });
  assert.equal(
    post,
    'POST /a HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"b":1}',
  );
  assert.equal(
    wire({ path: '/a', headers: { Host: null, 'X-Y': 'z' } }),
    'GET /a HTTP/1.1\r\nX-Y: z\r\n\r\n',
  );
  assert.equal(
    wire({
      method: 'PUT',
      path: '/a',
      headers: [
        ['Host', 'a'],
        ['host', 'b'],
      ],
    }),
    'PUT /a HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n',
  );
  assert.ok(
    wire({ path: '/a', body: 'abc', chunked: 2 }).endsWith(
      'transfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
    ),
  );
  assert.equal(wire({ raw_parts: ['a', { repeat: 'bc', count: 2 }, { base64: 'ZA==' }] }), 'abcbcd');
  assert.ok(
    wire({ path: '/a', body_repeat: { prefix: '[', unit: 'é', count: 3, suffix: ']' } }).endsWith(
      '\r\n\r\n[ééé]',
    ),
  );
});

test('an encoding compresses the body and sets its header', () => {
  const gzip = buildRequest({ path: '/a', body: 'abc', encoding: 'gzip' }, 1);
  assert.match(gzip.head.toString(), /content-encoding: gzip\r\n/);
  assert.equal(gunzipSync(gzip.body).toString(), 'abc');
  const zstd = buildRequest({ path: '/a', body: 'abc', encoding: 'zstd' }, 1);
  assert.equal(zstdDecompressSync(zstd.body).toString(), 'abc');
});

test('placeholders are filled in, saved values with their type', () => {
  const known = newPlaceholders(99);
  known.set('<saved:id>', 7);
  const filled = fill(
    { a: '<case>-x', b: '<saved:id>', c: ['/e/<saved:id>?p=<port>'], d: '<any-id>' },
    known,
  );
  assert.match(filled.a, /^c[0-9a-f]{11}-x$/);
  assert.deepEqual({ ...filled, a: '' }, { a: '', b: 7, c: ['/e/7?p=99'], d: '<any-id>' });
  assert.notEqual(newPlaceholders(1).get('<case>'), newPlaceholders(1).get('<case>'));
  assert.throws(() => fill('<saved:nothing>', known), /stands for nothing/);
  assert.equal(atPointer({ a: [{ 'b/c': 1 }] }, '/a/0/b~1c'), 1);
});

function checked(cases: readonly unknown[]) {
  return check('a.json', JSON.stringify({ about: 'x', cases }));
}

function wire(request: CaseRequest): string {
  const { head, body } = buildRequest(request, 1);
  return Buffer.concat([head, body]).toString();
}
