/** Encodes chunked bodies, whose length no header declares. */
import type { Random } from '@twin-ingest/testkit/random.ts';

/** Returns the bytes as a few chunks of any length. */
export function chunked(random: Random, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + 1 + random.below(bytes.length));
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
