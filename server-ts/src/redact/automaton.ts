/**
 * Finds all occurrences of many words in one pass over bytes (Aho and Corasick, 1975).
 *
 * Only server-ts has this file: server-rs uses a library, and those of npm search strings. Each byte takes one step,
 * whatever the words and the bytes are.
 */

/** Position of the first state; it stands for no word's beginning. */
const ROOT = 0;

export class Automaton {
  /** The symbol of each byte; 0 stands for all bytes that no word has. */
  private readonly symbols = new Uint8Array(256);
  private readonly width: number;
  /**
   * By state and symbol: twice the place of the next state's first symbol, and 1 more when a word ends in that state.
   */
  private readonly next: Int32Array;
  /** Words that end in a state, by state. */
  private readonly ended: (readonly number[] | undefined)[] = [];

  /** Prepares the search; `ignoresCase` makes ASCII letters equal in both cases. */
  constructor(words: readonly Buffer[], ignoresCase = false) {
    const fold = (byte: number): number => (ignoresCase && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);
    const used = [...new Set(words.flatMap((word) => [...word].map(fold)))];
    this.width = used.length + 1;
    for (let byte = 0; byte < 256; byte++) this.symbols[byte] = used.indexOf(fold(byte)) + 1;
    const next: number[] = Array.from({ length: this.width }, () => -1);
    words.forEach((word, index) => {
      let state = ROOT;
      for (const byte of word) {
        const slot = state * this.width + this.symbols[byte]!;
        if (next[slot] === -1) {
          next[slot] = next.length / this.width;
          for (let symbol = 0; symbol < this.width; symbol++) next.push(-1);
        }
        state = next[slot]!;
      }
      this.ended[state] = [...(this.ended[state] ?? []), index];
    });
    this.complete(next);
    this.next = Int32Array.from(
      next,
      (state) => 2 * state * this.width + (this.ended[state] === undefined ? 0 : 1),
    );
  }

  /** Adds the transitions to the longest shorter beginning, and the words that end there. */
  private complete(next: number[]): void {
    const { width, ended } = this;
    const shorter = [ROOT];
    const queue = [ROOT];
    for (let at = 0; at < queue.length; at++) {
      const state = queue[at]!;
      const fallback = shorter[state]!;
      for (let symbol = 0; symbol < width; symbol++) {
        const slot = state * width + symbol;
        const other = state === ROOT ? ROOT : next[fallback * width + symbol]!;
        const target = next[slot]!;
        if (target === -1) {
          next[slot] = other;
          continue;
        }
        shorter[target] = other;
        if (ended[other] !== undefined) ended[target] = [...(ended[target] ?? []), ...ended[other]];
        queue.push(target);
      }
    }
  }

  /** Returns whether a word occurs from `start` up to `end`. */
  isMatch(bytes: Buffer, start: number, end: number): boolean {
    const { symbols, next } = this;
    let state = ROOT;
    for (let at = start; at < end; at++) {
      state = next[(state >> 1) + symbols[bytes[at]!]!]!;
      if ((state & 1) === 1) return true;
    }
    return false;
  }

  /** Calls `visit` with the index and the end of every occurrence from `start` up to `end`, ordered by their ends. */
  eachMatch(bytes: Buffer, start: number, end: number, visit: (word: number, end: number) => void): void {
    const { symbols, next, width, ended } = this;
    let state = ROOT;
    for (let at = start; at < end; at++) {
      state = next[(state >> 1) + symbols[bytes[at]!]!]!;
      if ((state & 1) === 1) for (const word of ended[(state >> 1) / width]!) visit(word, at + 1);
    }
  }
}
