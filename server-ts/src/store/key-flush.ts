/**
 * Writes the newest keys as a run, some with each group, so that no answer waits for a whole run.
 *
 * Invariant: until the run is live, its keys are in memory and in `event_key_tail`. It becomes live in the
 * transaction that moves `last_keyed_event_id`.
 */
import type { Key } from './key-filter.ts';
import type { Budget } from './key-merge.ts';
import { hasKey, KEY_WORDS, type KeyStatements, type Run, RunWriter } from './key-run.ts';

/** A run that is being written. */
export class Flush {
  /** The newest row whose key may be in the run. */
  readonly lastId: number;
  private readonly words: Uint32Array;
  private readonly writer: RunWriter;
  /** Position of the next key in `words`. */
  private at = 0;

  /** Starts with distinct ascending keys. */
  constructor(statements: KeyStatements, words: Uint32Array, lastId: number) {
    this.lastId = lastId;
    this.words = words;
    this.writer = new RunWriter(statements, 0, words.length / KEY_WORDS);
  }

  /** Returns whether the run contains the key. */
  contains(key: Key): boolean {
    return hasKey(this.words, key);
  }

  /** Writes as many keys as the budget allows, and reduces the budget; returns whether all are written. */
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
