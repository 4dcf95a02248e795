import assert from 'node:assert/strict';
import test from 'node:test';
import { failed, readAnswer } from './answer.ts';

test('only an answer that counts every event acknowledges a batch', () => {
  const rejected = [{ index: 2, errors: ['a: b'] }];
  const stored = JSON.stringify({ received: 1, ids: [7], duplicates: 1, rejected, revision: '7' });
  assert.deepEqual(readAnswer(201, undefined, stored, 3), { kind: 'stored', refused: [2] });
  for (const body of [stored, '<html>', '{}', 'null']) {
    assert.deepEqual(readAnswer(201, undefined, body, 4), failed('unexpected_answer'));
  }
  assert.equal((readAnswer(200, undefined, stored, 3) as { failure: string }).failure, 'status_200');
});

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** Answers to a batch of two events and the refused ones; the test of `server-rs/src/forward/answer.rs` has them too. */
const hostileAnswers: readonly (readonly [string, readonly number[] | undefined])[] = [
  ['{"received":2,"duplicates":0,"rejected":[]}', []],
  ['{"received":2.0,"duplicates":-0,"rejected":[]}', []],
  ['{"received":1e0,"duplicates":0,"rejected":[{"index":0e1}]}', [0]],
  ['{"received":9,"rejected":[],"duplicates":0,"received":2}', []],
  ['{"received":"x","rejected":[],"duplicates":0,"received":2}', []],
  ['{"received":1,"duplicates":0,"rejected":[{"index":0,"index":1}]}', [1]],
  ['{"received":1,"duplicates":0,"rejected":[{"index":9007199254740991}]}', [9007199254740991]],
  ['{"received":2,"duplicates":0,"rejected":[],"\\ud800":"\\ud800"}', []],
  [`{"x":${deep(100_000)},"received":2,"duplicates":0,"rejected":[]}`, []],
  ['{"received":2,"duplicates":0,"rejected":[],"received":"x"}', undefined],
  ['{"received":2,"duplicates":0,"rejected":[]} {}', undefined],
  ['{"received":2,"duplicates":0}', undefined],
  ['{"received":2,"duplicates":0,"rejected":{}}', undefined],
  ['{"received":2,"duplicates":null,"rejected":[]}', undefined],
  ['{"received":"2","duplicates":0,"rejected":[]}', undefined],
  ['{"received":3,"duplicates":-1,"rejected":[]}', undefined],
  ['{"received":1.5,"duplicates":0.5,"rejected":[]}', undefined],
  ['{"received":1e400,"duplicates":0,"rejected":[]}', undefined],
  ['{"received":18446744073709551615,"duplicates":3,"rejected":[]}', undefined],
  ['{"received":9007199254740993,"duplicates":2,"rejected":[]}', undefined],
  ['{"received":1,"duplicates":0,"rejected":[0]}', undefined],
  ['{"received":1,"duplicates":0,"rejected":[null]}', undefined],
  ['{"received":1,"duplicates":0,"rejected":[[0]]}', undefined],
  ['{"received":1,"duplicates":0,"rejected":[{"index":-1}]}', undefined],
  ['{"received":1,"duplicates":0,"rejected":[{"index":9007199254740992}]}', undefined],
  ['[2,0,[]]', undefined],
  [`{"received":2,"duplicates":0,"rejected":${deep(100_000)}}`, undefined],
  [deep(100_000), undefined],
];

test('a hostile answer acknowledges a batch only by counting it', () => {
  for (const [body, refused] of hostileAnswers) {
    const expected = refused === undefined ? failed('unexpected_answer') : { kind: 'stored', refused };
    assert.deepEqual(readAnswer(201, undefined, body, 2), expected, body.slice(0, 99));
  }
  const coded = [
    ['{"code":7,"code":"\\ud800"}', 'refused'],
    ['{"code":"a","code":null}', 'failed'],
    ['["code"]', 'failed'],
    ['{"code":"a"}}', 'failed'],
  ] as const;
  for (const [body, kind] of coded) assert.equal(readAnswer(400, undefined, body, 2).kind, kind, body);
});

test('only a coded 400 and 413 refuse a batch', () => {
  assert.deepEqual(readAnswer(413, undefined, '', 1), { kind: 'refused' });
  assert.deepEqual(readAnswer(400, undefined, '{"code":"invalid_msgpack"}', 1), { kind: 'refused' });
  for (const [status, body] of [
    [400, '<html>'],
    [401, '{"code":"unauthorized"}'],
  ] as const) {
    assert.equal((readAnswer(status, undefined, body, 1) as { failure: string }).failure, `status_${status}`);
  }
});

test('Retry-After counts in seconds up to a limit', () => {
  const times = [
    ['7', 7],
    [' 0 ', 0],
    ['99999999999999999999999', 3600],
    ['x', undefined],
    ['', undefined],
  ] as const;
  for (const [text, expected] of times) {
    const answer = readAnswer(503, text, '', 1) as { retryAfterS?: number };
    assert.equal(answer.retryAfterS, expected, text);
  }
});
