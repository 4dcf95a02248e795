/**
 * Remembers accepted event ids permanently (rule EVT-13): the newest in memory, all others in sorted runs.
 *
 * Each group writes its keys to `event_key_tail`. A start reads them back from there, never from the rows of events,
 * which may be deleted.
 *
 * Invariants: every key is in memory or in exactly one live run. Runs, merges, the tail and `last_keyed_event_id`
 * change in the transaction that stores the events. After a rollback the writer reads them again.
 */
import { hash } from 'node:crypto';
import { TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder } from './connection.ts';
import { type Key, KeyHash } from './key-filter.ts';
import { Flush } from './key-flush.ts';
import { type Budget, DroppedRun, Merge } from './key-merge.ts';
import { corrupt, KEY_BYTES, KEY_WORDS, KeyStatements, Run, type RunRow, wordsOf } from './key-run.ts';
import { KeyGroup, KeyTail } from './key-tail.ts';

/** A run is also written once this many rows per stored key have arrived, so that a start reads few groups. */
const ROWS_PER_KEY = 4;

/** The accepted ids. */
export class EventKeys {
  private readonly db: Connection;
  private readonly statements: KeyStatements;
  /** The loaded keys; `undefined` before the first load, and after a rollback. */
  private known: Known | undefined;
  private readonly key: Key = new Uint32Array(KEY_WORDS);

  constructor(db: Connection) {
    this.db = db;
    this.statements = new KeyStatements(db);
  }

  /** Loads the accepted ids, unless they are loaded. */
  load(): Known {
    this.known ??= this.read();
    return this.known;
  }

  /** Accepts an `event_id`; `false` when it was accepted before. Call it in a transaction. */
  insert(eventId: Buffer | string): boolean {
    // Loading uses the same key object.
    const known = this.load();
    setKey(this.key, eventId);
    return known.insert(this.key);
  }

  /** Does the work that is due after a group: writes a run once enough keys are in memory, and continues merges. */
  settle(stored: number, lastId: number): void {
    this.load().settle(stored, lastId);
  }

  /** Drops all keys, including those accepted and rolled back. */
  forget(): void {
    this.known = undefined;
  }

  private read(): Known {
    const { db, statements } = this;
    const lastKeyedId = Number(db.prepare(inOrder(QUERIES.selectLastKeyedEventId)).pluck().get());
    const first = Number(db.prepare(QUERIES.selectFirstEventKeyTail).pluck().get());
    const deletedId = first === 0 ? lastKeyedId : Math.min(lastKeyedId, first - 1);
    const known = new Known(statements, lastKeyedId, deletedId);
    for (const row of db.prepare(QUERIES.selectEventKeyRuns).raw().all() as RunRow[]) known.addRun(row);
    const select = db.prepare<unknown[]>(inOrder(QUERIES.selectEventKeyTail)).pluck();
    for (const keys of select.iterate(lastKeyedId)) known.addGroup(keys as Buffer);
    return known;
  }
}

class Known {
  private readonly statements: KeyStatements;
  private lastKeyedId: number;
  /** `event_key_tail` no longer holds groups up to this id. */
  private deletedId: number;
  /** The keys of the current group. */
  private readonly group = new KeyGroup();
  private readonly tail = new KeyTail();
  private flush: Flush | undefined;
  private runs: Run[] = [];
  private readonly merges: Merge[] = [];
  private readonly dropped: DroppedRun[] = [];
  private readonly hash = new KeyHash();

  constructor(statements: KeyStatements, lastKeyedId: number, deletedId: number) {
    this.statements = statements;
    this.lastKeyedId = lastKeyedId;
    this.deletedId = deletedId;
  }

  /** Adds a run from the database. */
  addRun(row: RunRow): void {
    const [id, , state, keyCount] = row;
    if (state === 'live') this.runs.push(Run.fromRow(row));
    // An incomplete run is useless: the memory that was writing it is gone.
    else this.dropped.push(new DroppedRun(this.statements, id, keyCount));
  }

  /** Adds keys that are in no run: a row of `event_key_tail`. */
  addGroup(keys: Buffer): void {
    if (keys.length % KEY_BYTES !== 0) throw corrupt('a group of keys that ends inside a key');
    const words = wordsOf(keys);
    for (let at = 0; at < words.length; at += KEY_WORDS) this.tail.insert(words.subarray(at, at + KEY_WORDS));
  }

  insert(key: Key): boolean {
    if (!this.isNew(key)) return false;
    this.group.push(key);
    return true;
  }

  private isNew(key: Key): boolean {
    if (this.runs.length === 0 && this.flush === undefined) return this.tail.insert(key);
    if (this.tail.has(key) || this.flush?.contains(key)) return false;
    const { hash } = this;
    hash.set(key[0]!, key[1]!, key[2]!, key[3]!);
    for (const run of this.runs) if (run.contains(this.statements, key, hash)) return false;
    return this.tail.insert(key);
  }

  settle(stored: number, lastId: number): void {
    this.statements.insertTail.run(lastId, this.group.take());
    const rows = lastId - this.lastKeyedId;
    const isLong = this.tail.size >= TUNING.event_key_tail || rows >= TUNING.event_key_tail * ROWS_PER_KEY;
    if (isLong && this.flush === undefined) this.startFlush(lastId);
    const budget = stored * TUNING.event_key_merge_keys_per_event;
    this.advance({ keys: budget });
    this.deleteTail(budget);
  }

  /** Deletes groups whose keys are in live runs, at most as many event ids as the budget allows. */
  private deleteTail(budget: number): void {
    if (this.deletedId >= this.lastKeyedId) return;
    this.deletedId = Math.min(this.deletedId + budget, this.lastKeyedId);
    this.statements.deleteTail.run(this.deletedId);
  }

  /** Starts to write the keys in memory as a run. */
  startFlush(lastId: number): void {
    if (this.tail.size === 0) this.moveMark(lastId);
    else this.flush = new Flush(this.statements, this.tail.drain(), lastId);
  }

  /** Records that the keys of events up to this id are in live runs. */
  private moveMark(lastId: number): void {
    this.statements.updateLastKeyed.run(lastId);
    this.lastKeyedId = lastId;
  }

  /** Merges the oldest runs of a level once enough of them are in no other merge. */
  private startMerge(level: number): void {
    if (this.merges.some((merge) => merge.level === level)) return;
    const oldest = this.runs.filter((run) => run.level === level).slice(0, TUNING.event_key_merge_runs);
    const keyCount = oldest.reduce((sum, run) => sum + run.keyCount, 0);
    if (oldest.length === TUNING.event_key_merge_runs && keyCount <= TUNING.event_key_run_keys) {
      this.merges.push(new Merge(this.statements, oldest, level));
      this.merges.sort((left, right) => left.level - right.level);
    }
  }

  /** Continues with the newest keys, then with merges, the lowest level first, then with deleting merged runs. */
  advance(budget: Budget): void {
    if (this.flush?.advance(budget)) {
      this.runs.push(this.flush.finish());
      this.moveMark(this.flush.lastId);
      this.flush = undefined;
      this.startMerge(0);
    }
    while (budget.keys > 0) {
      const merge = this.merges[0];
      if (merge === undefined || !merge.advance(budget)) break;
      this.merges.shift();
      this.finishMerge(merge);
    }
    while (this.dropped[0]?.advance(budget)) this.dropped.shift();
  }

  private finishMerge(merge: Merge): void {
    const merged = merge.finish();
    for (const { id, keyCount } of merge.runs) {
      this.dropped.push(new DroppedRun(this.statements, id, keyCount));
    }
    this.runs = this.runs.filter((run) => !merge.runs.has(run));
    this.runs.push(merged);
    this.startMerge(merge.level);
    this.startMerge(merge.level + 1);
  }
}

/** Sets the 128-bit key of an id: the UUID's bits, or the first bits of the text's SHA-256 (FIPS 180-4). */
function setKey(key: Key, eventId: Buffer | string): void {
  const bytes = typeof eventId === 'string' ? hash('sha256', eventId, 'buffer') : eventId;
  for (let word = 0; word < KEY_WORDS; word++) {
    const at = word * 4;
    key[word] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
}
