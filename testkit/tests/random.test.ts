/** Tests that seeded numbers are equal everywhere, and that a shuffle loses no item. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, shuffle } from '../src/random.ts';

test('a seed gives the numbers of mulberry32', () => {
  const random = seededRandom(1);
  const words = Array.from({ length: 3 }, () => random.next() * 2 ** 32);
  assert.deepEqual(words, [2693262067, 11749833, 2265367787]);
});

test('below stays under its bound and reaches every number', () => {
  const random = seededRandom(7);
  const seen = new Set(Array.from({ length: 200 }, () => random.below(5)));
  assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4]);
});

test('shuffle keeps every item and changes their order by the seed', () => {
  const items = Array.from({ length: 50 }, (_, i) => i);
  const [one, same, other] = [3, 3, 4].map((seed) => shuffle(seededRandom(seed), [...items]));
  assert.deepEqual(
    one!.toSorted((a, b) => a - b),
    items,
  );
  assert.deepEqual(same, one);
  assert.notDeepEqual(other, one);
});
