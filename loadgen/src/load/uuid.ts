/**
 * UUIDs as text: each is a pure function of the PRNG seed and an index.
 *
 * Invariant: the same seed and index give the same bytes on every machine, in whatever order the requests are built.
 * Nothing here reads a clock.
 */

/** Bytes of a UUID in its text form. */
export const UUID_BYTES = 36;

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASH = 0x2d;

/**
 * Writes a version 4 UUID (RFC 9562, section 5.4) for `index` at `at`.
 *
 * Two indexes below 2^32 never share a UUID: the first word is a bijection of the index and keeps all its bits. To an
 * index of a database the words look random, which makes them the expensive case.
 */
export function writeUuid(target: Buffer, at: number, seed: number, index: number): void {
  const a = mix(index ^ mix(seed));
  const b = mix(index + 0x9e3779b9 + seed);
  const c = mix(index + 0x3c6ef372 - seed);
  const d = mix(index ^ 0x5bd1e995 ^ b);
  let to = writeHex(target, at, a, 28, 0);
  target[to++] = DASH;
  to = writeHex(target, to, b, 28, 16);
  target[to++] = DASH;
  to = writeHex(target, to, (b & 0x0fff) | 0x4000, 12, 0);
  target[to++] = DASH;
  to = writeHex(target, to, ((c >>> 16) & 0x3fff) | 0x8000, 12, 0);
  target[to++] = DASH;
  to = writeHex(target, to, c, 12, 0);
  writeHex(target, to, d, 28, 0);
}

/** First time in the UUIDs that grow with time. The machine's clock is not read. */
const FIRST_UUID_MS = Date.UTC(2026, 1, 11, 20, 0, 0);

/** Number of UUIDs per millisecond. Six bits contain their order. */
const UUIDS_PER_MS = 50;

/**
 * Writes a version 7 UUID (RFC 9562, section 5.7) for `index` at `at`.
 *
 * UUIDs grow with the index, like those of a client that creates them in order. A UUID contains milliseconds derived
 * from the index, a counter within the millisecond (section 6.2), and bits that look random. Two indexes below 2^32
 * never share a UUID, since no two have the same millisecond and counter.
 */
export function writeTimeUuid(target: Buffer, at: number, seed: number, index: number): void {
  const time_ms = FIRST_UUID_MS + Math.floor(index / UUIDS_PER_MS);
  const place = index % UUIDS_PER_MS;
  const a = mix(index ^ mix(seed));
  const b = mix(index + 0x9e3779b9 + seed);
  const c = mix(index ^ 0x5bd1e995 ^ b);
  let to = writeHex(target, at, Math.floor(time_ms / 0x1_0000), 28, 0);
  target[to++] = DASH;
  to = writeHex(target, to, time_ms % 0x1_0000, 12, 0);
  target[to++] = DASH;
  to = writeHex(target, to, 0x7000 | (place << 6) | (a & 0x3f), 12, 0);
  target[to++] = DASH;
  to = writeHex(target, to, ((a >>> 16) & 0x3fff) | 0x8000, 12, 0);
  target[to++] = DASH;
  to = writeHex(target, to, b, 12, 0);
  writeHex(target, to, c, 28, 0);
}

function writeHex(target: Buffer, at: number, word: number, from: number, to: number): number {
  let position = at;
  for (let shift = from; shift >= to; shift -= 4) target[position++] = HEX[(word >>> shift) & 15]!;
  return position;
}

/** The finaliser of MurmurHash3: a bijection on 32 bits. */
function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
