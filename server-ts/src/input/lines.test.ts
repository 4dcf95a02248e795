import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { BATCH_BYTES } from './batch.ts';
import { Lines } from './lines.ts';

type Taken = [body: string, first: number, last: number, tooLong: readonly number[]];

/** Returns body, first and last line, and overlong lines of all batches. */
function batches(lines: Lines): Taken[] {
  const taken: Taken[] = [];
  for (let batch = lines.take(); batch !== undefined; batch = lines.take()) {
    assert.equal(batch.place.kind, 'lines');
    const { first, last } = batch.place as { first: number; last: number };
    taken.push([batch.body.toString('latin1'), first, last, batch.tooLong]);
  }
  return taken;
}

function linesOf(maxLines: number, maxLineBytes: number): Lines {
  return new Lines(maxLines, maxLineBytes, new Buffers());
}

test('a batch consists of complete lines', () => {
  const lines = linesOf(9, 100);
  lines.push(Buffer.from('{}\r\n\n['));
  assert.deepEqual(batches(lines), [['{}\r\n\n', 1, 2, []]]);
  assert.equal(lines.ready(), undefined);
  lines.push(Buffer.from(']\n'));
  assert.deepEqual(batches(lines), [['[]\n', 3, 3, []]]);
});

test('lines survive a split at every byte', () => {
  const text = Buffer.from('{"a":1}\n\r\n\xff\n{}', 'latin1');
  for (let at = 0; at <= text.length; at++) {
    const lines = linesOf(9, 100);
    lines.push(text.subarray(0, at));
    lines.push(text.subarray(at));
    lines.end();
    assert.deepEqual(batches(lines), [[text.toString('latin1'), 1, 4, []]], `cut at ${at}`);
  }
});

test('a batch has at most its maximum of lines', () => {
  const lines = linesOf(2, 100);
  lines.push(Buffer.from('1\n2\n3\n4\n5\n'));
  const expected = [
    ['1\n2\n', 1, 2, []],
    ['3\n4\n', 3, 4, []],
    ['5\n', 5, 5, []],
  ];
  assert.deepEqual(batches(lines), expected);
});

test('a long line is a batch of its own', () => {
  const long = 'x'.repeat(BATCH_BYTES);
  const lines = linesOf(9, 1 << 30);
  lines.push(Buffer.from(`1\n${long}\n3\n`));
  assert.deepEqual(batches(lines), [
    ['1\n', 1, 1, []],
    [`${long}\n`, 2, 2, []],
    ['3\n', 3, 3, []],
  ]);
});

test('a last line without a line feed counts as a line', () => {
  const lines = linesOf(9, 100);
  lines.push(Buffer.from('1\n2'));
  lines.end();
  assert.deepEqual(batches(lines), [['1\n2', 1, 2, []]]);
  lines.end();
  assert.equal(lines.ready(), undefined);
});

test('an overlong line takes no memory', () => {
  const lines = linesOf(9, 1000);
  lines.push(Buffer.from('1\n'));
  for (let count = 0; count < 2048; count++) {
    lines.push(Buffer.alloc(1024, 'x'));
    assert.ok(lines.length < 2048);
  }
  lines.push(Buffer.from('x\n3\n'));
  assert.deepEqual(batches(lines), [['1\n?\n3\n', 1, 3, [2]]]);
  lines.push(Buffer.alloc(1000, 'x'));
  lines.push(Buffer.from('\n'));
  lines.push(Buffer.alloc(1001, 'x'));
  lines.end();
  assert.deepEqual(batches(lines), [[`${'x'.repeat(1000)}\n?`, 4, 5, [2]]]);
});

test('overlong lines are dropped within one piece and over several', () => {
  const text = Buffer.from('1\nabcdef\n2\n\nabcdefgh\nabcde\n');
  for (let at = 0; at <= text.length; at++) {
    const lines = linesOf(9, 5);
    lines.push(text.subarray(0, at));
    lines.push(text.subarray(at));
    assert.deepEqual(batches(lines), [['1\n?\n2\n\n?\nabcde\n', 1, 6, [2, 5]]], `cut at ${at}`);
  }
});
