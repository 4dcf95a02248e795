/**
 * Stores each repeated string once, in the table `names`; events hold its name id.
 *
 * Belongs to the writer's thread. The cache is bounded, and a rollback drops it, since its ids may no longer exist.
 * Before making a string it compares the bytes with the last name of the kind: most events of a request share most of
 * their names.
 */

import { LIMITS, VOCABULARY } from '../contract.ts';
import { NAME_KINDS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';

/** Largest number of cached names of a kind. */
const CACHE_ENTRIES = 20_000;

/** Longer names skip the byte comparison. */
const LAST_BYTES = 64;

export class Names {
  private readonly select: Statement;
  private readonly insert: Statement;
  private readonly selectCount: Statement;
  private readonly kinds = new Map<string, NamesOfKind>();

  constructor(db: Connection) {
    this.select = db.prepare(inOrder(QUERIES.selectName)).pluck() as Statement;
    this.insert = db.prepare(inOrder(QUERIES.insertName)).pluck() as Statement;
    this.selectCount = db.prepare(inOrder(QUERIES.selectNameCount)).pluck() as Statement;
    for (const kind of NAME_KINDS) {
      this.kinds.set(kind, new NamesOfKind(kind, this.select, this.insert, this.selectCount));
    }
  }

  of(kind: string): NamesOfKind {
    const names = this.kinds.get(kind);
    if (names === undefined) throw new Error(`no kind of name: ${kind}`);
    return names;
  }

  /** Drops all names: inserted ones may have been rolled back. */
  forget(): void {
    for (const names of this.kinds.values()) names.forget();
  }
}

export class NamesOfKind {
  private readonly kind: string;
  private readonly select: Statement;
  private readonly insert: Statement;
  private readonly selectCount: Statement;
  private readonly ids = new Map<string, number>();
  private readonly last = Buffer.alloc(LAST_BYTES);
  private lastLength = -1;
  private lastId = 0;
  /** Number of names in the table; `undefined` before the first new one. */
  private count: number | undefined;

  constructor(kind: string, select: Statement, insert: Statement, selectCount: Statement) {
    this.kind = kind;
    this.select = select;
    this.insert = insert;
    this.selectCount = selectCount;
  }

  /** Returns the id of the name whose UTF-8 bytes lie from `start` up to `end`; inserts a new name. */
  idOfBytes(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    const { last } = this;
    if (length === this.lastLength) {
      let at = 0;
      while (at < length && bytes[start + at] === last[at]) at++;
      if (at === length) return this.lastId;
    }
    const id = this.id(bytes.toString('utf8', start, end));
    if (length <= LAST_BYTES) {
      for (let at = 0; at < length; at++) last[at] = bytes[start + at]!;
      this.lastLength = length;
      this.lastId = id;
    }
    return id;
  }

  /** Returns the id of a name. A kind with too many names gives a new one the overflow name (rule EVT-15). */
  id(name: string): number {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    const id = this.findOrInsert(name);
    if (this.ids.size >= CACHE_ENTRIES) this.ids.clear();
    this.ids.set(name, id);
    return id;
  }

  forget(): void {
    this.ids.clear();
    this.lastLength = -1;
    this.count = undefined;
  }

  private findOrInsert(name: string): number {
    const found = this.select.get(this.kind, name);
    if (found !== undefined) return Number(found);
    this.count ??= Number(this.selectCount.get(this.kind));
    let used = name;
    if (this.count >= LIMITS.names_per_kind) {
      used = VOCABULARY.overflow_name;
      const overflow = this.select.get(this.kind, used);
      if (overflow !== undefined) return Number(overflow);
    }
    this.count++;
    return Number(this.insert.get(this.kind, used));
  }
}
