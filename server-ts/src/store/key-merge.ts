/**
 * Merges eight runs of a level into one of the next, a few keys with each group.
 *
 * Invariants: the source runs stay live until the merged run is live. Each group pays for a part of the merge in
 * proportion to its size, so that no answer waits for a whole merge.
 */
import { TUNING } from '../contract.ts';
import { blockId, compareKeys, type KeyStatements, type Run, RunReader, RunWriter } from './key-run.ts';

/** Deleting a block costs about as much as merging this many keys. */
const KEYS_PER_DELETED_BLOCK = 64;

/** Number of keys that may be merged with the current group. */
export interface Budget {
  keys: number;
}

/** A merge in progress. */
export class Merge {
  /** Level of the source runs. */
  readonly level: number;
  /** The source runs. */
  readonly runs: ReadonlySet<Run>;
  private readonly statements: KeyStatements;
  private readonly readers: RunReader[];
  private readonly writer: RunWriter;

  /** Starts to merge live runs of one level. */
  constructor(statements: KeyStatements, runs: readonly Run[], level: number) {
    this.level = level;
    this.runs = new Set(runs);
    this.statements = statements;
    this.readers = runs.map((run) => new RunReader(statements, run));
    const keyCount = runs.reduce((sum, run) => sum + run.keyCount, 0);
    this.writer = new RunWriter(statements, level + 1, keyCount);
  }

  /** Merges as many keys as the budget allows, and reduces the budget; returns whether all are merged. */
  advance(budget: Budget): boolean {
    for (; budget.keys > 0; budget.keys--) {
      let least: RunReader | undefined;
      for (const reader of this.readers) {
        if (!reader.peek()) continue;
        if (least === undefined || compareKeys(reader.words, reader.at, least.words, least.at) < 0) {
          least = reader;
        }
      }
      if (least === undefined) return true;
      this.writer.push(least.words, least.at);
      least.take();
    }
    return false;
  }

  /** Makes the merged run live, and drops its source runs. */
  finish(): Run {
    for (const { id } of this.runs) this.statements.setState(id, 'dropped');
    return this.writer.finish();
  }
}

/** A run that is no longer read and is deleted block by block. */
export class DroppedRun {
  private readonly statements: KeyStatements;
  private readonly id: number;
  private readonly blocks: number;
  private nextBlock = 0;

  /** Creates a dropped run of at most this many keys. */
  constructor(statements: KeyStatements, id: number, keyCount: number) {
    this.statements = statements;
    this.id = id;
    this.blocks = Math.ceil(keyCount / TUNING.event_key_block_keys);
  }

  /** Deletes as many blocks as the budget allows; returns whether the run is deleted. */
  advance(budget: Budget): boolean {
    const wanted = Math.floor(budget.keys / KEYS_PER_DELETED_BLOCK);
    const end = Math.min(this.blocks, this.nextBlock + wanted);
    if (end > this.nextBlock) {
      this.statements.deleteBlocks.run(blockId(this.id, this.nextBlock), blockId(this.id, end));
      budget.keys -= (end - this.nextBlock) * KEYS_PER_DELETED_BLOCK;
      this.nextBlock = end;
    }
    if (this.nextBlock < this.blocks) return false;
    this.statements.deleteRun.run(this.id);
    return true;
  }
}
