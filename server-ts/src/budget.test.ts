import assert from 'node:assert/strict';
import { test } from 'node:test';
import { centsOf, dayOf, dollarsJson, dollarsText, parseBudget } from './budget.ts';
import { findZone, type Zone } from './zones.ts';

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

test('a day begins at local midnight', () => {
  const zone = (name: string): Zone => findZone(name)!;
  assert.deepEqual(dayOf(zone('UTC'), 1_795_737_599_999), {
    date: '2026-11-26',
    startS: 1_795_651_200,
    endS: 1_795_737_600,
  });
  assert.equal(dayOf(zone('UTC'), 1_795_737_600_000).date, '2026-11-27');
  // 0:10 in Kolkata, and noon on the days of both changes in Berlin.
  const { date, startS } = dayOf(zone('Asia/Kolkata'), 1_795_718_400_000);
  assert.deepEqual([date, startS], ['2026-11-27', 1_795_717_800]);
  const days = [1_774_778_400_000, 1_792_926_000_000].map((noon) => dayOf(zone('Europe/Berlin'), noon));
  assert.deepEqual(
    days.map((day) => (day.endS - day.startS) / 3600),
    [23, 25],
  );
});
