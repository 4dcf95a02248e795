/**
 * Tests whether a run may hold a key, by a split block Bloom filter over 128-bit keys. So a new key reads no block of
 * any run.
 *
 * The filter is Parquet's (<https://parquet.apache.org/docs/file-format/bloomfilter/>): blocks of eight 32-bit words,
 * and one bit per word for each key. The file stores it, so both servers must compute the same bits for a key.
 */
import { TUNING } from '../contract.ts';

const WORDS = 8;
const BLOCK_BITS = 256;

/** Parquet's odd multipliers, one for each word of a block. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);
/** Odd multipliers of the four words of a key, in two orders; xxHash's primes. */
const PRIMES = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** A key: four words of 32 bits, the first the highest. */
export type Key = Uint32Array;

/** Two independent hashes of a key: one selects the block, one the bits in it. Reused for each key. */
export class KeyHash {
  block = 0;
  bits = 0;

  /**
   * Computes both hashes of a key. Ids that grow with time differ in few bits, so every word contributes to both
   * hashes.
   */
  set(w0: number, w1: number, w2: number, w3: number): void {
    const [p0, p1, p2, p3] = PRIMES;
    this.block = mix(Math.imul(w0, p0) + Math.imul(w1, p1) + Math.imul(w2, p2) + Math.imul(w3, p3));
    this.bits = mix(Math.imul(w0, p2) + Math.imul(w1, p3) + Math.imul(w2, p0) + Math.imul(w3, p1));
  }
}

/** MurmurHash3's finalizer: every bit of the input changes every bit of the output with even odds. */
export function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The filter of one run. */
export class KeyFilter {
  private readonly words: Int32Array;

  private constructor(words: Int32Array) {
    this.words = words;
  }

  /** Creates an empty filter for this many keys. */
  static forKeys(count: number): KeyFilter {
    const blocks = Math.max(1, Math.ceil((count * TUNING.event_key_filter_bits) / BLOCK_BITS));
    return new KeyFilter(new Int32Array(blocks * WORDS));
  }

  /** Reads a stored filter; `undefined` when the bytes cannot be one. */
  static fromBytes(bytes: Buffer): KeyFilter | undefined {
    if (bytes.length === 0 || bytes.length % (WORDS * 4) !== 0) return undefined;
    const words = new Int32Array(bytes.length / 4);
    // Little-endian, like every machine that better-sqlite3 supports in Node.
    Buffer.from(words.buffer).set(bytes);
    return new KeyFilter(words);
  }

  /** Returns the stored form. */
  toBytes(): Buffer {
    return Buffer.from(this.words.buffer);
  }

  /** Adds a key. */
  insert(hash: KeyHash): void {
    const { words } = this;
    const at = this.blockOf(hash);
    for (let word = 0; word < WORDS; word++) words[at + word]! |= bit(hash, word);
  }

  /** Returns `false` if the key is not in the run, and `true` if it may be. */
  mayContain(hash: KeyHash): boolean {
    const { words } = this;
    const at = this.blockOf(hash);
    for (let word = 0; word < WORDS; word++) if ((words[at + word]! & bit(hash, word)) === 0) return false;
    return true;
  }

  /**
   * Returns the position of a key's block. The product is exact up to 2^21 blocks; `limits.event_key_run_keys` stays
   * below that.
   */
  private blockOf(hash: KeyHash): number {
    return Math.floor((hash.block * (this.words.length / WORDS)) / 2 ** 32) * WORDS;
  }
}

function bit(hash: KeyHash, word: number): number {
  return 1 << (Math.imul(hash.bits, SALTS[word]!) >>> 27);
}
