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
