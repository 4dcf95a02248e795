import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers, type MemoryNews } from './buffers.ts';

const MEBIBYTE = 1 << 20;

/** Returns shared memory, or fails the test. */
function shared(memory: ArrayBufferLike): SharedArrayBuffer {
  assert.ok(memory instanceof SharedArrayBuffer);
  return memory;
}

test('memory that was given back is reused, longest and shortest', () => {
  const buffers = new Buffers();
  for (const length of [0, 1, 8192, 8193, 65_536, 65_537, MEBIBYTE]) {
    const memory = buffers.take(length);
    assert.ok(memory.byteLength >= length, String(length));
    assert.equal(memory instanceof SharedArrayBuffer, length <= 65_536, String(length));
    buffers.give(memory);
    assert.equal(buffers.take(length), memory, String(length));
  }
  const long = buffers.take(MEBIBYTE + 1);
  assert.equal(long.byteLength, MEBIBYTE + 1);
  buffers.give(long);
  assert.ok(long instanceof ArrayBuffer && long.detached, 'long memory is freed');
  buffers.give(long);
  assert.notEqual(buffers.take(MEBIBYTE + 1), long);
});

test('transferred memory is not reused', () => {
  const buffers = new Buffers();
  const memory = buffers.take(MEBIBYTE) as ArrayBuffer;
  const there = structuredClone(memory, { transfer: [memory] });
  buffers.give(memory);
  const next = buffers.take(MEBIBYTE);
  assert.notEqual(next, memory);
  assert.equal(next.byteLength, MEBIBYTE);
  buffers.give(there);
  assert.equal(buffers.take(MEBIBYTE), there);
});

test('each memory is reported to the thread once, and its removal too', () => {
  const buffers = new Buffers();
  assert.equal(buffers.takeNews(), undefined);
  const first = shared(buffers.take(1));
  const second = shared(buffers.take(1));
  assert.deepEqual(
    [first, second, first].map((memory) => buffers.numberOf(memory)),
    [0, 1, 0],
  );
  const news: MemoryNews = {
    fresh: [
      [0, first],
      [1, second],
    ],
    gone: [],
  };
  assert.deepEqual(buffers.takeNews(), news);
  buffers.give(first);
  assert.equal(buffers.numberOf(shared(buffers.take(1))), 0);
  assert.equal(buffers.takeNews(), undefined);
});

test('the thread knows only memory that is kept', () => {
  const buffers = new Buffers();
  const taken = Array.from({ length: 100 }, () => shared(buffers.take(65_536)));
  for (const memory of taken) buffers.numberOf(memory);
  assert.equal(buffers.takeNews()?.fresh.length, 100);
  for (const memory of taken) buffers.give(memory);
  const kept = (6 * MEBIBYTE) / 65_536;
  const news = buffers.takeNews();
  assert.deepEqual(news, { fresh: [], gone: Array.from({ length: 100 - kept }, (_, at) => kept + at) });
  // No message has reported this memory, so the thread has no record of it to remove.
  const unknown = buffers.take(8192);
  for (let count = 0; count < kept; count++) buffers.take(65_536);
  for (const memory of taken.slice(0, kept)) buffers.give(memory);
  buffers.give(unknown);
  assert.equal(buffers.takeNews(), undefined);
});
