import assert from 'node:assert/strict';
import { test } from 'node:test';
import { centsOf, dayOf, dollarsJson, dollarsText, parseBudget } from './budget.ts';

test('an amount has at most two decimals', () => {
  const amounts = { 10: 1000, '2.50': 250, 2.5: 250, 0.01: 1, 1000000: 100_000_000, '007': 700 };
  for (const [text, cents] of Object.entries(amounts)) assert.equal(parseBudget(text), cents, text);
  const wrong = [
    '',
    '0',
    '0.00',
    '.5',
    '1.',
    '1.234',
    '-1',
    '+1',
    '1e3',
    '1000000.01',
    '12345678',
    ' 1',
    '1,5',
  ];
  for (const text of wrong) assert.equal(parseBudget(text), undefined, text);
});

test('a sum is rounded to cents and printed with two decimals', () => {
  const sums = [0, 0.125, 3.2, 9.994, 12].map((usd) => dollarsText(centsOf(usd)));
  assert.deepEqual(sums, ['0.00', '0.13', '3.20', '9.99', '12.00']);
  assert.deepEqual([JSON.stringify(dollarsJson(1000)), JSON.stringify(dollarsJson(320))], ['10', '3.2']);
});

test('a day begins at midnight in UTC', () => {
  assert.deepEqual(dayOf(1_795_737_599_999), { date: '2026-11-26', startS: 1_795_651_200 });
  assert.equal(dayOf(1_795_737_600_000).date, '2026-11-27');
});
