/** Tests frames of whole metadata: texts come back, and any other bytes are no text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { packText, unpackText } from './whole-texts.ts';

test('a frame has the text, and any other bytes have none', () => {
  const text = Buffer.from(`{"é":"${'\\ud800 x'.repeat(40_000)}"}`);
  const frame = packText(text)!;
  assert.ok(frame.length < text.length / 10);
  // A failure must not print the bytes.
  assert.ok(unpackText(frame)?.equals(text));
  const shared = Buffer.from(new SharedArrayBuffer(20_000)).fill('a');
  assert.ok(unpackText(packText(shared)!)?.equals(shared));
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('text'),
    frame.subarray(0, -1),
    Buffer.concat([frame, frame]),
  ])
    assert.ok(unpackText(bytes) === undefined, `${bytes.length} bytes`);
  assert.equal(unpackText(zlib.zstdCompressSync(Buffer.from([0xff]), { pledgedSrcSize: 1 })), undefined);
});

test('a frame must declare a size that a text may have', () => {
  // The magic number, a descriptor with a size of 8 bytes, and that size.
  const frame = Buffer.alloc(13);
  frame.set([0x28, 0xb5, 0x2f, 0xfd, 0xe0]);
  frame.writeBigUInt64LE(1n << 60n, 5);
  assert.equal(unpackText(frame), undefined);
  assert.equal(unpackText(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00])), undefined);
});
