/**
 * A Bloom filter of the trigrams of texts: whether any of them can contain a text (rule GET-13).
 *
 * A trigram is three bytes that follow each other, with ASCII letters in lower case, as the search compares them. Each sets
 * two bits. The filter halves while at most half of its bits are set, so that its size follows from the texts.
 */
import { TUNING } from '../contract.ts';

/** Bits of a new filter. Both positions of a trigram have 16 bits. */
const BITS = 1 << 16;
/** Fewest bits of a filter. */
const LEAST_BITS = 512;

/** Each byte, with ASCII letters in lower case. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte,
);
/** The number of bits that are set in each byte. */
const BIT_COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** A filter that texts are added to. */
export class TextFilter {
  private bytes = Buffer.alloc(BITS / 8);

  /** Adds every trigram of a text. One loop without calls: it runs for each stored byte. */
  add(text: Uint8Array): void {
    const { bytes } = this;
    if (text.length < 3) return;
    let three = (LOWER[text[0]!]! << 8) | LOWER[text[1]!]!;
    for (let at = 2; at < text.length; at++) {
      three = ((three << 8) | LOWER[text[at]!]!) & 0xffffff;
      const hash = hashOf(three);
      bytes[(hash & (BITS - 1)) >>> 3]! |= 1 << (hash & 7);
      bytes[hash >>> 19]! |= 1 << ((hash >>> 16) & 7);
    }
  }

  /** Returns the filter in its smallest size; empty, which stands for any text, when too many bits are set. */
  toBytes(): Buffer {
    let { bytes } = this;
    while (bytes.length > LEAST_BITS / 8) {
      const length = bytes.length / 2;
      const half = Buffer.alloc(length);
      for (let at = 0; at < length; at++) half[at] = bytes[at]! | bytes[at + length]!;
      if (countBits(half) > length * 4) break;
      bytes = half;
    }
    const most = Math.floor((bytes.length * 8 * TUNING.text_filter_percent) / 100);
    return countBits(bytes) > most ? Buffer.alloc(0) : bytes;
  }
}

/** The trigrams of a text that is searched for. */
export class WantedTrigrams {
  private readonly hashes: readonly number[];

  constructor(text: string) {
    const bytes = Buffer.from(text);
    const hashes: number[] = [];
    for (let at = 2; at < bytes.length; at++) {
      const [first, second, third] = [bytes[at - 2]!, bytes[at - 1]!, bytes[at]!];
      hashes.push(hashOf((LOWER[first]! << 16) | (LOWER[second]! << 8) | LOWER[third]!));
    }
    this.hashes = hashes;
  }

  /** Returns whether a filter has all of them. An empty filter has. */
  mayBeIn(filter: Uint8Array): boolean {
    const bits = filter.length * 8;
    if (bits === 0) return true;
    const has = (position: number): boolean => (filter[position >>> 3]! & (1 << (position & 7))) !== 0;
    return this.hashes.every((hash) => has(hash & (bits - 1)) && has((hash >>> 16) & (bits - 1)));
  }
}

/** Returns the number of bits that are set. */
function countBits(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) count += BIT_COUNTS[bytes[at]!]!;
  return count;
}

/** Returns the hash of a trigram: 32 bits, of which the upper 16 are one position and the lower 16 the other. */
function hashOf(three: number): number {
  // Steps of the finalizer of MurmurHash3, which is public domain.
  let mixed = Math.imul(three, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}
