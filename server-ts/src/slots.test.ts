import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.ts';
import { parseTopics } from './topics.ts';

type Reported = readonly (readonly [topic: string, revision: number])[];

function slotsOf(list: string): { slots: Slots; take(): Reported } {
  const slots = new Slots(parseTopics(list)!);
  return { slots, take: () => slots.take().map(({ topic, revision }) => [topic.name, revision] as const) };
}

test('slots keep the newest revision of each topic until it is taken', () => {
  const { slots, take } = slotsOf('sessions,events,session:s');
  for (const [offers, expected] of [
    [[], []],
    [
      [
        [1, 0],
        [0, 5],
      ],
      [
        ['sessions', 5],
        ['events', 0],
      ],
    ],
    [
      [
        [1, 0],
        [0, 5],
      ],
      [],
    ],
    [
      [
        [0, 6],
        [0, 9],
        [0, 7],
      ],
      [['sessions', 9]],
    ],
    [[[0, 8]], []],
    [
      [
        [2, 1],
        [1, 1],
      ],
      [
        ['events', 1],
        ['session:s', 1],
      ],
    ],
    [[[2, Number.MAX_SAFE_INTEGER]], [['session:s', Number.MAX_SAFE_INTEGER]]],
  ] as readonly (readonly [readonly (readonly [number, number])[], Reported])[]) {
    for (const [at, revision] of offers) slots.offer(at, revision);
    assert.equal(slots.isDue, expected.length > 0);
    assert.deepEqual(take(), expected);
    assert.equal(slots.isDue, false);
  }
});

test('slots do not grow with the number of offers', () => {
  const { slots, take } = slotsOf('events,stats');
  for (let revision = 0; revision < 10_000; revision++) slots.offer(revision % 2, revision);
  assert.deepEqual(take(), [
    ['events', 9998],
    ['stats', 9999],
  ]);
});
