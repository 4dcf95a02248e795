import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { Broken } from './batch.ts';
import { Frames } from './frames.ts';

function framesOf(...pieces: (Buffer | string)[]): Frames {
  const frames = new Frames(100, new Buffers());
  for (const piece of pieces) frames.push(Buffer.from(piece as string));
  return frames;
}

/** Returns bodies and numbers of all complete frames. */
function taken(frames: Frames): [body: string, number: number][] {
  const list: [string, number][] = [];
  for (let batch = frames.take(); batch !== undefined; batch = frames.take()) {
    list.push([batch.body.toString(), (batch.place as { number: number }).number]);
  }
  return list;
}

test('frames survive a split at every byte', () => {
  const bytes = Buffer.from('\0\0\0\x03abc\0\0\0\0\0\0\0\x01d');
  for (let at = 0; at <= bytes.length; at++) {
    const frames = framesOf(bytes.subarray(0, at));
    const found = taken(frames);
    frames.push(bytes.subarray(at));
    found.push(...taken(frames));
    assert.deepEqual(
      found,
      [
        ['abc', 1],
        ['', 2],
        ['d', 3],
      ],
      `cut at ${at}`,
    );
    frames.end();
  }
});

test('a header may arrive byte by byte', () => {
  const frames = framesOf(...[...'\0\0\0\x02ab'].map((byte) => Buffer.from(byte)));
  assert.deepEqual(taken(frames), [['ab', 1]]);
});

test("a frame that the input's end cuts is broken", () => {
  for (const bytes of ['\0', '\0\0\0', '\0\0\0\x02', '\0\0\0\x02a']) {
    const frames = framesOf('\0\0\0\x01x', bytes);
    assert.equal(taken(frames).length, 1);
    assert.throws(
      () => frames.end(),
      (error: Broken) => {
        assert.deepEqual([error.place, error.failure.code], [{ kind: 'frame', number: 2 }, 'bad_request']);
        return true;
      },
    );
  }
});

test('a length above the limit is refused before any allocation', () => {
  assert.equal(framesOf('\0\0\0\x64').take(), undefined, 'a length at the limit');
  const frames = framesOf(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  assert.equal(frames.ready(), 0);
  assert.throws(
    () => frames.take(),
    (error: Broken) => {
      assert.ok(error instanceof Broken);
      assert.equal(error.failure.code, 'payload_too_large');
      assert.deepEqual(error.failure.members, { limit: 100, actual: 0xffff_ffff });
      return true;
    },
  );
});
