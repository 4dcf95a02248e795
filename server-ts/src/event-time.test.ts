import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTimes } from './event-time.ts';

const NOW = 1_800_000_000_000;
const NONE = Number.NaN;

test('a time counts from 2000 until five minutes ahead', () => {
  for (const [said, expected] of [
    [NONE, NOW],
    [946_684_799_999, NOW],
    [946_684_800_000, 946_684_800_000],
    [NOW - 1, NOW - 1],
    [NOW + 300_000, NOW + 300_000],
    [NOW + 300_001, NOW],
  ] as const) {
    assert.equal(new EventTimes(said, NONE, NOW).time(), expected, String(said));
    assert.equal(new EventTimes(NONE, said, NOW).time(), expected, String(said));
    const isIgnored = !Number.isNaN(said) && said !== expected;
    assert.equal(new EventTimes(said, NONE, NOW).isIgnored(), isIgnored, String(said));
  }
  assert.equal(new EventTimes(NOW - 5, NOW - 3, NOW).time(), NOW - 5);
  assert.equal(new EventTimes(0, NOW - 3, NOW).time(), NOW - 3);
});

test('history is more than ten minutes old at its arrival', () => {
  const old = NOW - 600_001;
  assert.equal(new EventTimes(old, NONE, NOW).isHistory(false), true);
  assert.equal(new EventTimes(NOW - 600_000, NONE, NOW).isHistory(false), false);
  assert.equal(new EventTimes(old, NONE, NOW).isHistory(true), false);
  assert.equal(new EventTimes(NONE, old, NOW).isHistory(true), true);
  assert.equal(new EventTimes(NONE, old, NOW).isHistory(false), true);
  assert.equal(new EventTimes(NONE, NONE, NOW).isHistory(false), false);
});
