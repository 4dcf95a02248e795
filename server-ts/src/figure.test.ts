import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, VOCABULARY } from './contract.ts';
import { FIELD, INT_WIDTH, NUMBER_WIDTH } from './field.ts';
import { FIGURE } from './figure/table.ts';
import { addCall, addEvent, addStep, hasRoom, measure, noSums, pick, type Sums } from './figure.ts';

const SHOWN = [
  FIGURE.event_count,
  FIGURE.call_count,
  FIGURE.error_count,
  FIGURE.tokens_in,
  FIGURE.duration_count,
];

/** Returns the figures of an event that failed and has tokens, but no duration. */
function figuresOf(tokens: number): Sums {
  const ints = new Int32Array(INT_WIDTH);
  const numbers = new Float64Array(NUMBER_WIDTH);
  ints[FIELD.status.column] = VOCABULARY.statuses.indexOf('error');
  numbers[FIELD.duration_ms.column] = Number.NaN;
  numbers[FIELD.tokens_in.column] = tokens;
  const figures = noSums();
  measure(figures, ints, 0, numbers, 0, 5);
  return figures;
}

test('a figure is taken over its events alone', () => {
  const over = (add: (sums: Sums, figures: Sums) => void): number[] => {
    const sums = noSums();
    add(sums, figuresOf(7));
    return pick(sums, SHOWN);
  };
  assert.deepEqual(over(addEvent), [1, 0, 1, 7, 0]);
  assert.deepEqual(over(addCall), [1, 1, 1, 7, 0]);
  assert.deepEqual(over(addStep), [1, 0, 0, 0, 0]);
});

test('tokens have no price in an event without a cost', () => {
  const unpriced = (cost: number, computed: number, tokens: number): number => {
    const numbers = new Float64Array(NUMBER_WIDTH).fill(tokens);
    numbers[FIELD.cost_usd.column] = cost;
    const figures = noSums();
    measure(figures, new Int32Array(INT_WIDTH), 0, numbers, 0, computed);
    return figures[FIGURE.unpriced_tokens]!;
  };
  assert.equal(unpriced(Number.NaN, Number.NaN, 7), 28);
  assert.equal(unpriced(0, Number.NaN, 7), 0);
  assert.equal(unpriced(Number.NaN, 0, 7), 0);
  assert.equal(unpriced(Number.NaN, Number.NaN, LIMITS.max_integer), LIMITS.max_integer);
});

test('sums have room up to the largest exact integer', () => {
  const sums = noSums();
  addEvent(sums, figuresOf(LIMITS.max_integer - 7));
  assert.ok(hasRoom(sums, figuresOf(7)));
  assert.ok(!hasRoom(sums, figuresOf(8)));
});
