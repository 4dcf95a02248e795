/**
 * UUIDs as text: each is a pure function of the PRNG seed and an index.
 *
 * Invariants: the same seed and index give the same bytes on every machine, in whatever order the requests are built.
 * Nothing here reads a clock. The module imports nothing and needs no Buffer, so that k6 can load it.
 */

export const UUID_BYTES = 36;

const DASH = 0x2d;

/**
 * Writes a version 4 UUID (RFC 9562, section 5.4) for `index` at `at`.
 *
 * Two indexes below 2^32 never share a UUID: the first word is a bijection of the index and keeps all its bits. To an
 * index of a database the words look random, which makes them the expensive case. Four digits are written at a time:
 * k6 runs an interpreter, in which a loop over 32 digits costs more.
 */
export function writeUuid(view: DataView, at: number, seed: number, index: number): void {
  const a = mix(index ^ mix(seed));
  const b = mix(index + 0x9e3779b9 + seed);
  const c = mix(index + 0x3c6ef372 - seed);
  const d = mix(index ^ 0x5bd1e995 ^ b);
  view.setUint32(at, hex(a >>> 16));
  view.setUint32(at + 4, hex(a & 0xffff));
  view.setUint8(at + 8, DASH);
  view.setUint32(at + 9, hex(b >>> 16));
  view.setUint8(at + 13, DASH);
  view.setUint32(at + 14, hex((b & 0x0fff) | 0x4000));
  view.setUint8(at + 18, DASH);
  view.setUint32(at + 19, hex(((c >>> 16) & 0x3fff) | 0x8000));
  view.setUint8(at + 23, DASH);
  view.setUint32(at + 24, hex(c & 0xffff));
  view.setUint32(at + 28, hex(d >>> 16));
  view.setUint32(at + 32, hex(d & 0xffff));
}

const text = new Uint8Array(UUID_BYTES);
const textView = new DataView(text.buffer);

export function uuidText(seed: number, index: number): string {
  writeUuid(textView, 0, seed, index);
  return String.fromCharCode(...text);
}

/** Returns four hex digits in ASCII, the first in the highest byte. Letters are 39 higher than digits. */
function hex(word: number): number {
  const bytes = ((word & 0xff00) << 8) | (word & 0xff);
  const nibbles = ((bytes & 0x00f000f0) << 4) | (bytes & 0x000f000f);
  return nibbles + 0x30303030 + (((nibbles + 0x06060606) >>> 4) & 0x01010101) * 39;
}

/** The finaliser of MurmurHash3: a bijection on 32 bits. */
function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
