/** Encodes the numbers of rows for a summary: distinct, ascending, 4 bytes each, big-endian. */

/** Returns the stored form of a set of numbers. */
export function toBytes(numbers: ReadonlySet<number>): Buffer {
  const ascending = Uint32Array.from(numbers).sort();
  return Buffer.from(ascending.buffer).swap32();
}

export function fromBytes(stored: Buffer): Set<number> {
  const numbers = new Set<number>();
  for (let at = 0; at < stored.length; at += 4) numbers.add(stored.readUInt32BE(at));
  return numbers;
}
