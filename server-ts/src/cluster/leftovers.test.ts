/** Tests which chunks of the bucket are leftovers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leftovers } from './leftovers.ts';

test('chunks are overdue once they had no object for long', () => {
  const leftovers = new Leftovers();
  assert.deepEqual(leftovers.overdue(['a', 'b'], 1000, 100), []);
  assert.deepEqual(leftovers.overdue(['a', 'c'], 1099, 100), []);
  // The object of b came meanwhile, so a later leftover of this id is new.
  assert.deepEqual(leftovers.overdue(['c', 'a', 'b'], 1100, 100), ['a']);
  assert.deepEqual(leftovers.overdue(['c', 'b'], 1199, 100), ['c']);
  assert.deepEqual(leftovers.overdue(['b'], 1200, 100), ['b']);
});
