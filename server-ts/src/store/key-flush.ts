/**
 * Makes a run of the newest keys, some with each group, so that no answer waits for a whole run.
 *
 * Invariant: until the run is live its keys are in memory and in `event_key_tail`; the run becomes live in the
 * transaction that moves `last_keyed_event_id`.
 */
import type { Key } from './key-filter.ts';
import type { Budget } from './key-merge.ts';
import { hasKey, KEY_WORDS, type KeyStatements, type Run, RunWriter } from './key-run.ts';

/** A run on its way from memory to the file. */
export class Flush {
  /** The newest row whose key may be in it. */
  readonly lastId: number;
  private readonly words: Uint32Array;
  private readonly writer: RunWriter;
  /** Where the next key begins in `words`. */
  private at = 0;

  /** Begins with ascending keys, each once. */
  constructor(statements: KeyStatements, words: Uint32Array, lastId: number) {
    this.lastId = lastId;
    this.words = words;
    this.writer = new RunWriter(statements, 0, words.length / KEY_WORDS);
  }

  /** Whether the key is one of them. */
  contains(key: Key): boolean {
    return hasKey(this.words, key);
  }

  /** Writes as many keys as the budget has, and takes them off it; whether that was all. */
  advance(budget: Budget): boolean {
    const { words, writer } = this;
    const count = Math.min((words.length - this.at) / KEY_WORDS, budget.keys);
    const end = this.at + count * KEY_WORDS;
    for (; this.at < end; this.at += KEY_WORDS) writer.push(words, this.at);
    budget.keys -= count;
    return this.at === words.length;
  }

  /** Makes the run live. */
  finish(): Run {
    return this.writer.finish();
  }
}
