/** Tests a case against a tiny server: correct answers pass, and each kind of wrong answer fails. */
// biome-ignore-all lint/suspicious/noThenProperty: this is what a case calls the answer
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, listen } from '@twin-ingest/testkit/servers/tcp-server.ts';
import type { AnsweredCase } from '../src/case.ts';
import { runCase } from '../src/run-case.ts';
import { withWholeRowTexts } from '../src/stored-row.ts';

const DATE = 'date: Sat, 21 Nov 2026 01:41:29 GMT\r\n';
const TYPE = 'content-type: application/json; charset=utf-8\r\n';

function ok(body: string, extra = '', status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${TYPE}content-length: ${Buffer.byteLength(body)}\r\n${DATE}${extra}\r\n${body}`;
}

const LIVE = ok('{"status":"ok"}');
const CASE: AnsweredCase = {
  name: 'a',
  rule: 'ING-01',
  when: { path: '/' },
  then: { status: 200, json: { a: 1 } },
};

test('an answer as expected passes', async () => {
  assert.deepEqual(await differences(CASE, ok('{"a":1}'), LIVE), []);
});

test('each kind of wrong answer fails and names the place', async () => {
  const wrong: readonly (readonly [answer: string, where: string])[] = [
    [ok('{"a":1}', '', '201 Created'), 'status'],
    [ok('{"a":2}'), 'body/a'],
    [ok('{"a":1}', 'x-powered-by: y\r\n'), 'header x-powered-by'],
    [ok('nonsense'), 'body'],
    [`${ok('{"a":1}')}left over`, 'connection'],
    [`HTTP/1.1 102 Processing\r\n\r\n${ok('{"a":1}')}`, 'interim/0'],
    ['nonsense\r\n\r\n', 'answer'],
  ];
  for (const [answer, where] of wrong) {
    const [first] = await differences(CASE, answer, LIVE);
    assert.ok(first?.startsWith(where.replace('/0', '')), `${where}: ${first}`);
  }
});

test('a body of another format is decoded by its media type and compared whole', async () => {
  const page = (hex: string, type = 'application/protobuf'): string =>
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nvary: Accept\r\n${DATE}` +
    `content-length: ${hex.length / 2}\r\n\r\n${Buffer.from(hex, 'hex').toString('latin1')}`;
  const decodes: AnsweredCase = {
    ...CASE,
    then: { status: 200, headers: 'protobuf', decoded: { events: [], next: 7 } },
  };
  assert.deepEqual(await differences(decodes, page('1007'), LIVE), []);
  assert.deepEqual(await differences(decodes, page('1008'), LIVE), ['body/next']);
  assert.deepEqual(await differences(decodes, page('10'), LIVE), ['body']);
  assert.deepEqual(await differences(decodes, page('1007', 'text/html'), LIVE), [
    'header content-type',
    'body',
  ]);
  const hex: AnsweredCase = { ...CASE, then: { status: 200, headers: 'protobuf', body_hex: '10 07' } };
  assert.deepEqual(await differences(hex, page('1007'), LIVE), []);
  assert.deepEqual(await differences(hex, page('1008'), LIVE), ['body']);
});

test('a connection that stays open instead of closing fails', async () => {
  const closes: AnsweredCase = { ...CASE, then: { status: 200, json: { a: 1 }, closed: true } };
  const server = await listen((socket) => {
    socket.once('data', () => socket.end(ok('{"a":1}', 'connection: close\r\n')));
  });
  const exchanges = await runCase(closes, server.port, '/tmp');
  await server.close();
  assert.deepEqual(
    exchanges.flatMap((one) => one.differences),
    [],
  );
  assert.deepEqual(await differences(closes, ok('{"a":1}', 'connection: close\r\n'), LIVE), ['connection']);
});

test('given, saved values, stored and then_also are all checked', async () => {
  const row = withWholeRowTexts(
    '<row>{"id":7,"session_id":"s","created_at":"2026-02-18T18:06:41.231Z","history":false,"metadata":{"b":1.0}}</row>',
  );
  const whole: AnsweredCase = {
    ...CASE,
    given: [{ path: '/first', save: { id: '/ids/0' } }],
    then: { status: 200, body: '{"id":<saved:id>}' },
    stored: {
      query: 'x=<saved:id>',
      rows: [{ id: '<saved:id>', session_id: 's', metadata: { b: 1 } }],
      metadata: ['{"b":1.0}'],
    },
    then_also: [{ path: '/more', then: { status: 200, body: '<any-id>' } }],
  };
  const answers = [
    ok('{"ids":[7]}'),
    LIVE,
    ok('{"id":7}'),
    LIVE,
    ok(`{"events":[${row}],"next":null}`),
    ok('8'),
    LIVE,
  ];
  assert.deepEqual(await differences(whole, ...answers), []);
  const other = answers.with(4, ok(`{"events":[${row.replace('1.0', '1.00')}],"next":null}`));
  assert.deepEqual(await differences(whole, ...other), ['stored metadata/0']);
  assert.deepEqual(await differences(whole, ...answers.with(0, ok('{}', '', '400 Bad Request'))), ['status']);
  assert.deepEqual(await differences(whole, ...answers.with(5, ok('0'))), ['body']);
});

async function differences(one: AnsweredCase, ...answers: readonly string[]): Promise<string[]> {
  const server = await listen(answering(...answers));
  try {
    const exchanges = await runCase(one, server.port, '/tmp');
    return exchanges.flatMap((exchange) => exchange.differences.map((difference) => difference.where));
  } finally {
    await server.close();
  }
}
