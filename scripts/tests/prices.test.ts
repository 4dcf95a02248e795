import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spellingsOf } from '@twin-ingest/testkit/events/price-names.ts';
import { checkPrices } from '../checks/prices.ts';
import { modelsText, pricesOf } from '../contract/prices.ts';

const NAMES = {
  about: 'Made up.',
  ends: [{ suffix: '-########' }],
  beginnings: [
    { prefix: 'us.anthropic.', becomes: 'anthropic.' },
    { prefix: 'anthropic.' },
    { prefix: 'azure/' },
  ],
  modes: { standard: [], batch: ['batch'], fast: ['fast'] },
};

/** Returns an entry of the list with prices of a million tokens. */
function entry(provider: string, input: number, output: number, more: object = {}): Record<string, unknown> {
  return {
    litellm_provider: provider,
    mode: 'chat',
    input_cost_per_token: input / 1e6,
    output_cost_per_token: output / 1e6,
    ...more,
  };
}

test('a model has the members of its entry that servers read', () => {
  const models = pricesOf(
    {
      one: entry('openai', 2, 8, {
        cache_read_input_token_cost: 5e-7,
        input_cost_per_token_above_200k_tokens: 4e-6,
        output_cost_per_token_above_200k_tokens: 1.2e-5,
        input_cost_per_token_batches: 1e-6,
        output_cost_per_token_batches: 4e-6,
        supports_vision: true,
      }),
      image: { ...entry('openai', 1, 1), mode: 'image_generation' },
      unknown: entry('another', 1, 1),
      hourly: entry('deepseek', 1, 1, { off_peak_pricing: {} }),
      thinking: entry('openai', 1, 1, { output_cost_per_reasoning_token: 2e-6 }),
    },
    NAMES,
  );
  assert.deepEqual(models, {
    one: {
      input: 2,
      output: 8,
      cache_read: 0.5,
      above: { '200000': { input: 4, output: 12 } },
      modes: { batch: { input: 1, output: 4, above: { '200000': {} } } },
    },
  });
});

test('a mode that multiplies all prices is a number', () => {
  const { one } = pricesOf(
    {
      one: entry('anthropic', 2, 8, {
        input_cost_per_token_batches: 1e-6,
        output_cost_per_token_batches: 4e-6,
        provider_specific_entry: { fast: 2 },
      }),
    },
    NAMES,
  );
  assert.deepEqual(one, { input: 2, output: 8, modes: { batch: 0.5, fast: 2 } });
});

test('ranges of prompts are prices above their beginnings', () => {
  const { one } = pricesOf(
    {
      one: {
        litellm_provider: 'dashscope',
        mode: 'chat',
        tiered_pricing: [
          { range: [0, 32000], input_cost_per_token: 1e-6, output_cost_per_token: 5e-6 },
          { range: [32000, 128000], input_cost_per_token: 2e-6, output_cost_per_token: 9e-6 },
        ],
      },
    },
    NAMES,
  );
  assert.deepEqual(one, { input: 1, output: 5, above: { '32000': { input: 2, output: 9 } } });
});

test('an entry that the rules find by another one is left out', () => {
  const models = pricesOf(
    {
      'one-20260101': entry('openai', 1, 2),
      'azure/one': entry('azure', 1, 2),
      'azure/two': entry('azure', 3, 4),
      two: entry('openai', 1, 2),
    },
    NAMES,
  );
  assert.deepEqual(models, {
    'azure/two': { input: 3, output: 4 },
    one: { input: 1, output: 2 },
    two: { input: 1, output: 2 },
  });
});

test('a plain name with two prices has none, and a region keeps its own', () => {
  const models = pricesOf(
    {
      'one-20260101': entry('openai', 1, 2),
      'one-20260201': entry('openai', 3, 4),
      'anthropic.two-20260101': entry('bedrock_converse', 1, 2),
      'us.anthropic.two-20260101': entry('bedrock_converse', 1.1, 2.2),
    },
    NAMES,
  );
  assert.deepEqual(models, {
    'one-20260101': { input: 1, output: 2 },
    'one-20260201': { input: 3, output: 4 },
    two: { input: 1, output: 2 },
    'us.anthropic.two': { input: 1.1, output: 2.2 },
  });
  assert.deepEqual(spellingsOf('us.Anthropic.two-20260101', NAMES), [
    'us.anthropic.two-20260101',
    'us.anthropic.two',
    'anthropic.two-20260101',
    'anthropic.two',
    'two-20260101',
    'two',
  ]);
});

test('each fault of the prices is named', () => {
  const file = { date: '2026-11-30', source: 'a', licence: 'b', models: { one: { input: 1 } } };
  assert.deepEqual(checkPrices(file, NAMES), []);
  assert.deepEqual(JSON.parse(modelsText(file)).models, file.models);
  const problemsOf = (models: object): string[] => checkPrices({ ...file, models } as never, NAMES);
  assert.deepEqual(problemsOf({ B: {}, a: { inputs: 1 } }), [
    'contract/prices: models.json: B has capitals',
    'contract/prices: models.json: a: inputs is no price',
  ]);
  assert.deepEqual(problemsOf({ b: { input: -1 }, a: { modes: { flex: 1 }, above: { x: {} } } }), [
    'contract/prices: models.json: a is in no order',
    'contract/prices: models.json: b: -1 is no price',
    'contract/prices: models.json: a: x is no number of tokens',
    'contract/prices: models.json: a: flex is no mode',
  ]);
  const rules = [{ suffix: '*x' }, { prefix: 'a', becomes: 'b' }, { within: 'a', from: '.', to: '..' }];
  assert.deepEqual(checkPrices(file, { ...NAMES, ends: rules }), [
    'contract/prices: names.json: {"suffix":"*x"} has a * at the end',
    'contract/prices: names.json: {"prefix":"a","becomes":"b"} shortens no name',
    'contract/prices: names.json: {"within":"a","from":".","to":".."} does not end',
  ]);
});
