import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanosFromUsd, parseInteger, parseNumber, printNumber } from './number.ts';

test('integers are recognised in every spelling', () => {
  for (const [token, expected] of [
    ['0', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740991.4', 9_007_199_254_740_991],
    ['9007199254740991.6', Number.NaN],
    ['9007199254740992', Number.NaN],
    ['1.5', Number.NaN],
    ['-1', Number.NaN],
    ['1e400', Number.NaN],
    ['1e-400', 0],
  ] as const) {
    const value = parseInteger(Buffer.from(token), 0, token.length);
    assert.ok(Object.is(value, expected), `${token}: ${value}`);
  }
});

test('the short and the long path return the same double', () => {
  for (const token of ['7', '123456789012345', '1234567890123456', '123456789012345678901234567890']) {
    assert.equal(parseNumber(Buffer.from(`x${token}`), 1, token.length + 1), Number(token));
  }
});

test('nano-dollars round half to even', () => {
  for (const [usd, nanos] of [
    [0.1, 100_000_000],
    [5e-10, 0],
    [1.5e-9, 2],
    [2.5e-9, 2],
    [-0, 0],
    [1e6, 1_000_000_000_000_000],
  ] as const) {
    assert.ok(Object.is(nanosFromUsd(usd), nanos), String(usd));
  }
});

test('numbers print as in ECMAScript', () => {
  assert.deepEqual([5, 1e-7, 0.000001, 1e21, -0].map(printNumber), ['5', '1e-7', '0.000001', '1e+21', '0']);
});
