/**
 * Holds a run of keys: sorted, in blocks of one page, immutable once it is live.
 *
 * Invariants: the keys of a run ascend and are in no other live run. A run becomes live in the transaction that
 * writes its last block. Blocks of a run that is not live are never read, only deleted.
 */
import Database from 'better-sqlite3';
import { TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import { type Key, KeyFilter, KeyHash } from './key-filter.ts';

export const KEY_WORDS = 4;
export const KEY_BYTES = 16;
const BLOCK_KEYS = TUNING.event_key_block_keys;
const NOTHING = Buffer.alloc(0);

/** Values of the column for a run's state. */
type RunState = 'growing' | 'live' | 'dropped';

/** A row of `event_key_runs`. */
export type RunRow = readonly [
  id: number,
  level: number,
  state: RunState,
  keyCount: number,
  filter: Buffer,
  fences: Buffer,
];

/** The statements on runs, blocks and the tail, prepared once. */
export class KeyStatements {
  readonly selectBlock: Statement;
  readonly insertBlock: Statement;
  readonly deleteBlocks: Statement;
  readonly insertRun: Statement;
  readonly updateRun: Statement;
  readonly deleteRun: Statement;
  readonly insertTail: Statement;
  readonly deleteTail: Statement;
  readonly updateLastKeyed: Statement;

  constructor(db: Connection) {
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.selectBlock = prepare(QUERIES.selectEventKeyBlock).pluck() as Statement;
    this.insertBlock = prepare(QUERIES.insertEventKeyBlock);
    this.deleteBlocks = prepare(QUERIES.deleteEventKeyBlocks);
    this.insertRun = prepare(QUERIES.insertEventKeyRun).pluck() as Statement;
    this.updateRun = prepare(QUERIES.updateEventKeyRun);
    this.deleteRun = prepare(QUERIES.deleteEventKeyRun);
    this.insertTail = prepare(QUERIES.insertEventKeyTail);
    this.deleteTail = prepare(QUERIES.deleteEventKeyTail);
    this.updateLastKeyed = prepare(QUERIES.updateLastKeyedEventId);
  }

  /** Returns the bytes of a block, which must exist. */
  block(run: number, block: number): Buffer {
    const keys = this.selectBlock.get(blockId(run, block));
    if (!Buffer.isBuffer(keys)) throw corrupt('a run of keys without a block');
    return keys;
  }

  /** Sets the state of a run. */
  setState(run: number, state: RunState, filter: Buffer = NOTHING, fences: Buffer = NOTHING): void {
    this.updateRun.run(state, filter, fences, run);
  }
}

/** A live run: the part of it that stays in memory. */
export class Run {
  readonly id: number;
  readonly level: number;
  readonly keyCount: number;
  private readonly filter: KeyFilter;
  /** The first key of each block, word by word. */
  private readonly fences: Uint32Array;

  constructor(id: number, level: number, keyCount: number, filter: KeyFilter, fences: Uint32Array) {
    this.id = id;
    this.level = level;
    this.keyCount = keyCount;
    this.filter = filter;
    this.fences = fences;
  }

  /** Reads its row; throws when the row is not a run. */
  static fromRow([id, level, , keyCount, filter, fences]: RunRow): Run {
    const read = KeyFilter.fromBytes(filter);
    if (read === undefined) throw corrupt('a run of keys without a filter');
    return new Run(id, level, keyCount, read, wordsOf(fences));
  }

  /** Number of blocks. */
  get blocks(): number {
    return this.fences.length / KEY_WORDS;
  }

  /** Returns whether the run contains the key. Reads one block when the filter says maybe. */
  contains(statements: KeyStatements, key: Key, hash: KeyHash): boolean {
    if (!this.filter.mayContain(hash)) return false;
    const above = firstAbove(this.fences, key);
    if (above === 0) return false;
    return hasKey(wordsOf(statements.block(this.id, above - 1)), key);
  }
}

/** Writes a run, key by key. */
export class RunWriter {
  private readonly statements: KeyStatements;
  private readonly id: number;
  private readonly level: number;
  private readonly keyCount: number;
  private readonly filter: KeyFilter;
  private readonly fences: Uint32Array;
  private readonly hash = new KeyHash();
  private readonly block = new Uint32Array(BLOCK_KEYS * KEY_WORDS);
  private filled = 0;
  private blocks = 0;

  /** Starts a growing run of this many keys. */
  constructor(statements: KeyStatements, level: number, keyCount: number) {
    this.statements = statements;
    this.level = level;
    this.keyCount = keyCount;
    this.id = Number(statements.insertRun.get(level, 'growing', keyCount, NOTHING, NOTHING));
    this.filter = KeyFilter.forKeys(keyCount);
    this.fences = new Uint32Array(Math.ceil(keyCount / BLOCK_KEYS) * KEY_WORDS);
  }

  /** Appends the next key, which is above all earlier ones: four words from `at`. */
  push(words: Uint32Array, at: number): void {
    const { block, fences, filled, hash } = this;
    const start = filled * KEY_WORDS;
    for (let word = 0; word < KEY_WORDS; word++) {
      block[start + word] = words[at + word]!;
      if (filled === 0) fences[this.blocks * KEY_WORDS + word] = words[at + word]!;
    }
    hash.set(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
    this.filter.insert(hash);
    this.filled++;
    if (this.filled === BLOCK_KEYS) this.write();
  }

  /** Writes the rest, and makes the run live. */
  finish(): Run {
    if (this.filled > 0) this.write();
    const { id, level, keyCount, filter, fences } = this;
    this.statements.setState(id, 'live', filter.toBytes(), bytesOf(fences));
    return new Run(id, level, keyCount, filter, fences);
  }

  private write(): void {
    const bytes = bytesOf(this.block.subarray(0, this.filled * KEY_WORDS));
    this.statements.insertBlock.run(blockId(this.id, this.blocks), bytes);
    this.blocks++;
    this.filled = 0;
  }
}

/** Reads a run from its first key to its last. */
export class RunReader {
  private readonly statements: KeyStatements;
  private readonly run: number;
  private readonly blocks: number;
  private nextBlock = 0;
  /** The keys of the current block. */
  words: Uint32Array = new Uint32Array(0);
  /** Position of the next key in `words`. */
  at = 0;

  constructor(statements: KeyStatements, run: Run) {
    this.statements = statements;
    this.run = run.id;
    this.blocks = run.blocks;
  }

  /** Returns whether there is a next key, without taking it. */
  peek(): boolean {
    if (this.at === this.words.length && this.nextBlock < this.blocks) {
      this.words = wordsOf(this.statements.block(this.run, this.nextBlock));
      this.nextBlock++;
      this.at = 0;
    }
    return this.at < this.words.length;
  }

  /** Moves past the peeked key. */
  take(): void {
    this.at += KEY_WORDS;
  }
}

/** Returns the error that SQLite itself uses for corruption. */
export function corrupt(message: string): Error {
  return new Database.SqliteError(message, 'SQLITE_CORRUPT');
}

/** Returns the id of a run's block. */
export function blockId(run: number, block: number): number {
  return run * TUNING.event_key_run_blocks + block;
}

/** Compares two keys in lists of words, by their positions in words: negative, zero or positive. */
export function compareKeys(left: Uint32Array, from: number, right: Uint32Array, to: number): number {
  for (let word = 0; word < KEY_WORDS; word++) {
    const difference = left[from + word]! - right[to + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns whether an ascending list contains the key. */
export function hasKey(words: Uint32Array, key: Key): boolean {
  const above = firstAbove(words, key);
  return above > 0 && compareKeys(words, (above - 1) * KEY_WORDS, key, 0) === 0;
}

/** Returns how many keys of an ascending list are not above the key. */
function firstAbove(words: Uint32Array, key: Key): number {
  let low = 0;
  let high = words.length / KEY_WORDS;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(words, middle * KEY_WORDS, key, 0) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns keys in their stored form: big-endian. */
export function bytesOf(words: Uint32Array): Buffer {
  const bytes = Buffer.from(new Uint32Array(words).buffer);
  return bytes.swap32();
}

/** Reads stored keys. */
export function wordsOf(stored: Buffer): Uint32Array {
  const words = new Uint32Array(stored.length / 4);
  Buffer.from(words.buffer).set(stored);
  Buffer.from(words.buffer).swap32();
  return words;
}
