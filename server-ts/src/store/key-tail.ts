/**
 * Keeps the newest keys in memory: a set of 128-bit keys, sorted when they become a run.
 *
 * A table of numbers instead of a set of strings, so that no key becomes an object. Only server-ts has this file:
 * Rust's library has such a set.
 */
import { randomInt } from 'node:crypto';
import { type Key, mix } from './key-filter.ts';
import { bytesOf, KEY_WORDS } from './key-run.ts';

const SMALLEST = 1024;
/**
 * Largest index that fits into an exact number together with a 32-bit word. Far above the number of keys held here.
 */
const MOST_KEYS = 2 ** 21;

export class KeyTail {
  /** Keys in order of arrival. */
  private words = new Uint32Array(SMALLEST * KEY_WORDS);
  /** Index in `words` plus one, by hash; 0 is free. The table has at least twice as many entries as keys. */
  private buckets = new Uint32Array(SMALLEST * 2);
  size = 0;
  /** Secret random multipliers, so that clients cannot choose keys that collide. */
  private readonly multipliers = Array.from({ length: KEY_WORDS }, () => randomInt(2 ** 31) * 2 + 1);

  /** Adds a key; returns whether it is new. */
  insert(key: Key): boolean {
    let bucket = this.bucketOf(key, 0);
    const { buckets, words } = this;
    const mask = buckets.length - 1;
    for (;;) {
      const found = buckets[bucket]!;
      if (found === 0) break;
      const at = (found - 1) * KEY_WORDS;
      if (
        words[at] === key[0] &&
        words[at + 1] === key[1] &&
        words[at + 2] === key[2] &&
        words[at + 3] === key[3]
      )
        return false;
      bucket = (bucket + 1) & mask;
    }
    this.words.set(key, this.size * KEY_WORDS);
    this.size++;
    buckets[bucket] = this.size;
    if (this.size * 2 === buckets.length) this.grow();
    return true;
  }

  /** Returns whether the set contains the key. */
  has(key: Key): boolean {
    const { buckets, words } = this;
    const mask = buckets.length - 1;
    for (let bucket = this.bucketOf(key, 0); buckets[bucket] !== 0; bucket = (bucket + 1) & mask) {
      const at = (buckets[bucket]! - 1) * KEY_WORDS;
      if (
        words[at] === key[0] &&
        words[at + 1] === key[1] &&
        words[at + 2] === key[2] &&
        words[at + 3] === key[3]
      )
        return true;
    }
    return false;
  }

  /** Removes all keys; returns them in ascending order, word by word. */
  drain(): Uint32Array {
    const { words, size } = this;
    const order = Float64Array.from({ length: size }, (_, index) => index);
    sortBy(words, order, 0);
    const sorted = new Uint32Array(size * KEY_WORDS);
    for (let place = 0; place < size; place++) {
      const from = order[place]! * KEY_WORDS;
      for (let word = 0; word < KEY_WORDS; word++) sorted[place * KEY_WORDS + word] = words[from + word]!;
    }
    this.buckets.fill(0);
    this.size = 0;
    return sorted;
  }

  private grow(): void {
    const larger = new Uint32Array(this.words.length * 2);
    larger.set(this.words);
    this.words = larger;
    this.buckets = new Uint32Array(this.buckets.length * 2);
    const mask = this.buckets.length - 1;
    for (let index = 0; index < this.size; index++) {
      let bucket = this.bucketOf(this.words, index * KEY_WORDS);
      while (this.buckets[bucket] !== 0) bucket = (bucket + 1) & mask;
      this.buckets[bucket] = index + 1;
    }
  }

  private bucketOf(words: Uint32Array, at: number): number {
    const [m0, m1, m2, m3] = this.multipliers as [number, number, number, number];
    const sum =
      Math.imul(words[at]!, m0) +
      Math.imul(words[at + 1]!, m1) +
      Math.imul(words[at + 2]!, m2) +
      Math.imul(words[at + 3]!, m3);
    return mix(sum) & (this.buckets.length - 1);
  }
}

/** Keys in order of arrival, in memory that grows and is reused. */
export class KeyGroup {
  private words = new Uint32Array(KEY_WORDS * 64);
  private length = 0;

  push(key: Key): void {
    if (this.length === this.words.length) {
      const larger = new Uint32Array(this.words.length * 2);
      larger.set(this.words);
      this.words = larger;
    }
    this.words.set(key, this.length);
    this.length += KEY_WORDS;
  }

  /** Removes all keys; returns them in the form of `event_key_tail`. */
  take(): Buffer {
    const bytes = bytesOf(this.words.subarray(0, this.length));
    this.length = 0;
    return bytes;
  }
}

/**
 * Sorts positions in a list of keys by the keys, from one of their words on.
 *
 * Word and position fit into one number, which the library sorts without a callback per comparison. It compares the
 * next word only among equal words.
 */
function sortBy(words: Uint32Array, order: Float64Array, word: number): void {
  for (let at = 0; at < order.length; at++) {
    order[at] = words[order[at]! * KEY_WORDS + word]! * MOST_KEYS + order[at]!;
  }
  order.sort();
  for (let first = 0, at = 1; at <= order.length; at++) {
    if (at < order.length && wordIn(order[at]!) === wordIn(order[first]!)) continue;
    for (let place = first; place < at; place++) order[place]! %= MOST_KEYS;
    if (at - first > 1 && word + 1 < KEY_WORDS) sortBy(words, order.subarray(first, at), word + 1);
    first = at;
  }
}

function wordIn(number: number): number {
  return Math.floor(number / MOST_KEYS);
}
