import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICES } from './contract.ts';
import { spellingsOf } from './price-names.ts';
import {
  builtInPrices,
  type Counts,
  computedNanos,
  PriceProblem,
  type Prices,
  parsePrices,
  type Tariff,
  tariffOf,
} from './prices.ts';

const MADE_UP = `{"date":"2026-02-28","models":{
  "made-up-2*": {"input": 1.25, "output": 10, "cache_read": 0.125},
  "made-up-2-mini*": {"input": 0.3},
  "made-up-2-mini": {"input": 0.1},
  "free": {"input": 0}
}}`;

/** Returns the prices of a file alone. */
function ofFile(text: string): Prices {
  const builtIn = parsePrices('{"date":"2026-02-28","models":{}}');
  return { file: parsePrices(text), builtIn };
}

function cost(prices: Prices, model: string, tier: string | undefined, counts: Counts): number {
  const tariff = tariffOf(prices, model, tier);
  return tariff === undefined ? Number.NaN : computedNanos(tariff, counts);
}

test('the price of a model is that of its name or longest prefix', () => {
  const prices = ofFile(MADE_UP);
  assert.deepEqual([prices.file?.date, prices.file?.models], ['2026-02-28', 4]);
  for (const [model, counts, nanos] of [
    ['made-up-2', [1000, 10, 8, 0, 0], 1_351_000],
    ['Made-Up-2', [1000, 10, 8, 0, 0], 1_351_000],
    ['made-up-2-mini', [1000, 0, 0, 0, 0], 100_000],
    ['made-up-2-mini[1m]', [1000, 0, 0, 0, 0], 300_000],
    ['made-up-2-mini-1', [1000, 0, 0, 0, 0], 300_000],
    ['made-up-2-mini', [1000, 1, 0, 0, 0], Number.NaN],
    ['made-up-2', [1000, 10, 8, 1, 0], Number.NaN],
    ['made-up-2', [1000, 10, 8, 0, 1], Number.NaN],
    ['made-up-2', [0, 0, 0, 0, 0], Number.NaN],
    ['made-up', [1000, 0, 0, 0, 0], Number.NaN],
    ['free', [1, 0, 0, 0, 0], 0],
    ['openai/free-2026-01-31', [1, 0, 0, 0, 0], 0],
    // One token more than a million dollars buy.
    ['made-up-2-mini-1', [3_333_333_333_333, 0, 0, 0, 0], 999_999_999_999_900],
    ['made-up-2-mini-1', [3_333_333_333_334, 0, 0, 0, 0], Number.NaN],
  ] as const) {
    assert.equal(cost(prices, model, undefined, counts), nanos, `${model} ${counts}`);
  }
});

test('a mode and a prompt above a size have prices of their own', () => {
  const prices = ofFile(`{"date":"2026-02-28","models":{"a":{
    "above": {"100": {"input": 2, "cache_read": 1}, "1000": {"input": 3}},
    "modes": {"batch": 0.5, "priority": {"input": 8, "above": {"100": {"input": 9}}}},
    "input": 1, "output": 4
  }}}`);
  for (const [tier, counts, nanos] of [
    [undefined, [100, 1, 0, 0, 0], 104_000],
    ['default', [100, 0, 0, 0, 0], 100_000],
    // The prompt is all input, also that from a cache.
    [undefined, [100, 0, 1, 0, 0], 201_000],
    [undefined, [101, 1, 0, 0, 0], Number.NaN],
    [undefined, [1000, 0, 0, 0, 0], 2_000_000],
    [undefined, [1001, 0, 0, 0, 0], 3_003_000],
    ['batch', [100, 1, 0, 0, 0], 52_000],
    ['batch', [101, 0, 0, 0, 0], 101_000],
    ['fast', [100, 0, 0, 0, 0], 800_000],
    ['Priority', [101, 0, 0, 0, 0], 909_000],
    ['priority', [1, 1, 0, 0, 0], Number.NaN],
    ['flex', [1, 0, 0, 0, 0], Number.NaN],
    ['scale', [1, 0, 0, 0, 0], Number.NaN],
  ] as const) {
    assert.equal(cost(prices, 'a', tier, counts), nanos, `${tier} ${counts}`);
  }
});

test('the built-in list is a file of prices', () => {
  assert.deepEqual(builtInPrices(), parsePrices(PRICES));
});

test('a file replaces single models of the built-in list', () => {
  const file = '{"date":"2026-02-28","models":{"claude-opus-5":{"input":1},"gpt-5*":{}}}';
  const prices = { ...ofFile(file), builtIn: builtInPrices() };
  for (const [model, nanos] of [
    ['claude-opus-5', 1000],
    ['openrouter/anthropic/claude-opus-5[1m]', 1000],
    // A region has prices of its own.
    ['us.anthropic.claude-opus-5', 5500],
    ['claude-haiku-4-5', 1000],
    ['gpt-5.1', Number.NaN],
    ['no-such-model', Number.NaN],
  ] as const) {
    assert.equal(cost(prices, model, undefined, [1, 0, 0, 0, 0]), nanos, model);
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
    [of('{"a":{},"A":{}}'), 'prices_twice', '/models/A'],
    [of('{"a":{"above":1}}'), 'prices_object', '/models/a/above'],
    [of('{"a":{"above":{"0200":{}}}}'), 'prices_size', '/models/a/above/0200'],
    [of('{"a":{"above":{"":{}}}}'), 'prices_size', '/models/a/above/'],
    [of('{"a":{"above":{"9007199254740992":{}}}}'), 'prices_size', '/models/a/above/9007199254740992'],
    [of('{"a":{"above":{"1":{"modes":{}}}}}'), 'prices_unknown', '/models/a/above/1/modes'],
    [of('{"a":{"modes":{"standard":1}}}'), 'prices_unknown', '/models/a/modes/standard'],
    [of('{"a":{"modes":{"batch":null}}}'), 'prices_number', '/models/a/modes/batch'],
    [of('{"a":{"modes":{"batch":{"modes":{}}}}}'), 'prices_unknown', '/models/a/modes/batch/modes'],
    ['{"source":1}', 'prices_note', '/source'],
  ] as const) {
    const isExpected = (problem: unknown) =>
      problem instanceof PriceProblem && problem.fault === fault && problem.path === path;
    assert.throws(() => parsePrices(text), isExpected, text);
  }
});

/** Decorations at the end that no price depends on. */
const ENDS = ['[1m]', ':thinking', '@default', '[1M]'];
/** Prefixes of other providers, for plain names. */
const BEGINNINGS = ['openrouter/openai/', 'azure/', 'vertex_ai/', 'anthropic/', 'bedrock/', 'us.anthropic.'];

test('every listed name is found with each decoration', () => {
  const prices = { file: undefined, builtIn: builtInPrices() };
  const { byName } = prices.builtIn;
  assert.ok(byName.size > 500);
  const of = (name: string): Tariff => tariffOf(prices, name, undefined)!;
  for (const name of byName.keys()) {
    const tariff = of(name);
    for (const end of ENDS) assert.equal(of(`${name}${end}`), tariff, `${name}${end}`);
    assert.equal(of(name.toUpperCase()), tariff, name);
    if (/[/.]/.test(name) && !name.startsWith('gpt-')) continue;
    for (const beginning of BEGINNINGS) {
      const decorated = `${beginning}${name}`;
      // A listed name has prices of its own, and so has each of its spellings.
      const listed = [...spellingsOf(decorated)].find((one) => byName.has(one)) ?? '';
      const isOfName = [...spellingsOf(name)].some((one) => listed.endsWith(one));
      assert.ok(isOfName, `${decorated}: ${listed}`);
      assert.equal(of(listed), of(decorated), decorated);
    }
  }
});

test('a prefix may end in white space and may be empty', () => {
  const prices = ofFile('{"date":"2026-02-28","models":{"a *":{"input":1},"*":{"input":2}}}');
  assert.equal(cost(prices, 'a b', undefined, [1, 0, 0, 0, 0]), 1000);
  assert.equal(cost(prices, 'b', undefined, [1, 0, 0, 0, 0]), 2000);
});
