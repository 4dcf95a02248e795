import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TUNING } from '../contract.ts';
import { builtInPrices } from '../prices.ts';
import { Tariffs } from './tariffs.ts';

const ALL = { file: undefined, builtIn: builtInPrices() };

test('a service tier is remembered apart', () => {
  const tariffs = new Tariffs(ALL);
  for (let time = 0; time < 2; time++) {
    const usual = tariffs.of('claude-opus-5', undefined);
    const fast = tariffs.of('claude-opus-5', 'fast');
    assert.ok(usual !== undefined && fast !== undefined && usual !== fast);
    assert.equal(tariffs.of('claude-opus-5', 'scale'), undefined);
  }
});

test('more names than are remembered have their tariffs', () => {
  const tariffs = new Tariffs(ALL);
  for (let number = 0; number < 3 * TUNING.tariffs; number++) {
    assert.equal(tariffs.of(`no-such-${number}`, undefined), undefined);
    assert.ok(tariffs.of('claude-opus-5', undefined) !== undefined);
  }
});

test('no model has a tariff without prices', () => {
  assert.equal(new Tariffs(undefined).of('claude-opus-5', undefined), undefined);
});
