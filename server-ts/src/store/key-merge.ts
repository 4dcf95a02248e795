/**
 * Merges eight runs of a level into one of the next, a few keys with each group.
 *
 * What must stay true: runs that are merged stay live until the merged one is; what a merge has cost is shared by
 * the groups in proportion to what they store, so that no answer waits for a whole merge.
 */
import { LIMITS } from '../contract.ts';
import { blockId, compareKeys, type KeyStatements, type Run, RunReader, RunWriter } from './key-run.ts';

/** Deleting a block costs about as much as merging this many keys. */
const KEYS_PER_DELETED_BLOCK = 64;

/** How many keys may be merged before the group at hand is done. */
export interface Budget {
  keys: number;
}

/** A merge on its way. */
export class Merge {
  /** Of the runs that are merged. */
  readonly level: number;
  /** The runs that are merged. */
  readonly runs: ReadonlySet<Run>;
  private readonly statements: KeyStatements;
  private readonly readers: RunReader[];
  private readonly writer: RunWriter;

  /** Begins to merge live runs of one level. */
  constructor(statements: KeyStatements, runs: readonly Run[], level: number) {
    this.level = level;
    this.runs = new Set(runs);
    this.statements = statements;
    this.readers = runs.map((run) => new RunReader(statements, run));
    const keyCount = runs.reduce((sum, run) => sum + run.keyCount, 0);
    this.writer = new RunWriter(statements, level + 1, keyCount);
  }

  /** Merges as many keys as the budget has, and takes them off it; whether that was all. */
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

  /** Makes the merged run live, and drops those that it was made of. */
  finish(): Run {
    for (const { id } of this.runs) this.statements.setState(id, 'dropped');
    return this.writer.finish();
  }
}

/** A run that nobody reads any more, deleted block by block. */
export class DroppedRun {
  private readonly statements: KeyStatements;
  private readonly id: number;
  private readonly blocks: number;
  private nextBlock = 0;

  /** A run of at most this many keys. */
  constructor(statements: KeyStatements, id: number, keyCount: number) {
    this.statements = statements;
    this.id = id;
    this.blocks = Math.ceil(keyCount / LIMITS.event_key_block_keys);
  }

  /** Deletes as many blocks as the budget has; whether the run is gone. */
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
