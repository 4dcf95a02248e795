import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computedNanos, PriceProblem, parsePrices } from './prices.ts';

const MADE_UP = `{"date":"2026-02-28","models":{
  "made-up-2*": {"input": 1.25, "output": 10, "cache_read": 0.125},
  "made-up-2-mini*": {"input": 0.3},
  "made-up-2-mini": {"input": 0.1},
  "free": {"input": 0}
}}`;

test('the price of a model is that of its name or longest prefix', () => {
  const prices = parsePrices(MADE_UP);
  assert.deepEqual([prices.date, prices.models], ['2026-02-28', 4]);
  for (const [model, counts, nanos] of [
    ['made-up-2', [1000, 10, 8, 0], 1_351_000],
    ['made-up-2-mini', [1000, 0, 0, 0], 100_000],
    ['made-up-2-mini-1', [1000, 0, 0, 0], 300_000],
    ['made-up-2-mini', [1000, 1, 0, 0], Number.NaN],
    ['made-up-2', [1000, 10, 8, 1], Number.NaN],
    ['made-up-2', [0, 0, 0, 0], Number.NaN],
    ['made-up', [1000, 0, 0, 0], Number.NaN],
    ['free', [1, 0, 0, 0], 0],
    // One token more than a million dollars buy.
    ['made-up-2-mini-1', [3_333_333_333_333, 0, 0, 0], 999_999_999_999_900],
    ['made-up-2-mini-1', [3_333_333_333_334, 0, 0, 0], Number.NaN],
  ] as const) {
    assert.equal(computedNanos(prices, model, counts), nanos, `${model} ${counts}`);
  }
});

test('the first problem of a file is reported with its place', () => {
  const of = (models: string) => `{"date":"2026-02-28","models":${models}}`;
  for (const [text, fault, path] of [
    ['{', 'prices_json', ''],
    ['[]', 'prices_object', ''],
    ['{}', 'prices_absent', '/date'],
    ['{"date":"2026-02-29"}', 'prices_date', '/date'],
    ['{"date":20260228}', 'prices_date', '/date'],
    ['{"date":"2026-02-28"}', 'prices_absent', '/models'],
    ['{"currency":"USD"}', 'prices_unknown', '/currency'],
    [of('[]'), 'prices_object', '/models'],
    [of('{"a/b~":1}'), 'prices_object', '/models/a~1b~0'],
    [of('{"a":{},"\\u0061":{}}'), 'prices_twice', '/models/a'],
    [of('{"a":{"input":1,"input":1}}'), 'prices_twice', '/models/a/input'],
    [of('{"a":{"inputs":1}}'), 'prices_unknown', '/models/a/inputs'],
    [of('{"\\ud800":{}}'), 'prices_text', '/models'],
    [of('{"a*b":{}}'), 'prices_name', '/models/a*b'],
    [of('{"a**":{}}'), 'prices_name', '/models/a**'],
    [of('{"a ":{}}'), 'prices_name', '/models/a '],
    [of('{" *":{}}'), 'prices_name', '/models/ *'],
    [of('{"":{}}'), 'prices_name', '/models/'],
    [of('{"a":{"input":-1}}'), 'prices_number', '/models/a/input'],
    [of('{"a":{"input":1e400}}'), 'prices_number', '/models/a/input'],
    [of('{"a":{"input":"1"}}'), 'prices_number', '/models/a/input'],
    [of('{"a":{"input":null}}'), 'prices_number', '/models/a/input'],
  ] as const) {
    const isExpected = (problem: unknown) =>
      problem instanceof PriceProblem && problem.fault === fault && problem.path === path;
    assert.throws(() => parsePrices(text), isExpected, text);
  }
});

test('a prefix may end in white space and may be empty', () => {
  const prices = parsePrices('{"date":"2026-02-28","models":{"a *":{"input":1},"*":{"input":2}}}');
  assert.equal(computedNanos(prices, 'a b', [1, 0, 0, 0]), 1000);
  assert.equal(computedNanos(prices, 'b', [1, 0, 0, 0]), 2000);
});
