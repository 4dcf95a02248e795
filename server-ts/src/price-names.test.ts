import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMode, modesOf, spellingsOf } from './price-names.ts';

function plainest(name: string): string | undefined {
  return [...spellingsOf(name)].at(-1);
}

test('each beginning of a name has all ends', () => {
  assert.deepEqual(
    [...spellingsOf('Azure/EU/gpt-5-2025-08-07[1m]')],
    ['azure/eu/', 'azure/', ''].flatMap((beginning) =>
      ['gpt-5-2025-08-07[1m]', 'gpt-5-2025-08-07', 'gpt-5'].map((end) => beginning + end),
    ),
  );
});

test('a decorated name becomes the plain one', () => {
  for (const [name, plain] of [
    ['claude-opus-5', 'claude-opus-5'],
    ['claude-opus-5[1m]', 'claude-opus-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]', 'claude-sonnet-4-5'],
    ['openrouter/anthropic/claude-sonnet-4.5:thinking', 'claude-sonnet-4-5'],
    ['vertex_ai/claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['projects/a/locations/b/publishers/google/models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5', 'claude-opus-5'],
    ['azure/eu/gpt-5-2025-08-07', 'gpt-5'],
    // The rest of these is no decoration.
    ['deepseek-v3', 'deepseek-v3'],
    ['openrouter/deepseek/deepseek-chat', 'openrouter/deepseek/deepseek-chat'],
    ['-20250929', '-20250929'],
    ['anthropic/', 'anthropic/'],
    ['gpt-5-2025-08-0é', 'gpt-5-2025-08-0é'],
    ['é1m]', 'é1m]'],
  ] as const) {
    assert.equal(plainest(name), plain, name);
  }
});

test('a service tier has modes in any case of letters', () => {
  assert.deepEqual(modesOf('Fast'), ['fast', 'priority']);
  assert.deepEqual(modesOf('standard'), []);
  assert.equal(modesOf('scale'), undefined);
  assert.ok(isMode('batch') && !isMode('standard'));
});
