/**
 * Stores each repeated string once, in the table `names`; events hold its name id. Bounds the names, and the pairs of a
 * name and an agent, each of which has sums.
 *
 * Belongs to the writer's thread. The cache is bounded, and a rollback drops it, since its ids may no longer exist.
 * Before making a string it compares the bytes with the last name of the kind: most events of a request share most of
 * their names.
 */

import { LIMITS, VOCABULARY } from '../contract.ts';
import { FIELD_SPECS, NAME_KINDS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, Numbered, type Statement } from './connection.ts';
import { ALL_TIME } from './stats.ts';

/** Largest number of cached names of a kind. */
const CACHE_ENTRIES = 20_000;

/** Longer names skip the byte comparison. */
const LAST_BYTES = 64;

export class Names {
  private readonly kinds = new Map<string, NamesOfKind>();

  constructor(db: Connection) {
    const statements: Statements = {
      select: db.prepare(inOrder(QUERIES.selectName)).pluck() as Statement,
      insert: db.prepare(inOrder(QUERIES.insertName)).pluck() as Statement,
      selectCount: db.prepare(inOrder(QUERIES.selectNameCount)).pluck() as Statement,
      openQuarter: db.prepare(QUERIES.selectOpenQuarter).pluck() as Statement,
      selectHasPair: new Numbered(db, QUERIES.selectHasPair, true),
      selectPairCount: new Numbered(db, QUERIES.selectPairCount, true),
    };
    for (const kind of NAME_KINDS) this.kinds.set(kind, new NamesOfKind(kind, statements));
  }

  of(kind: string): NamesOfKind {
    const names = this.kinds.get(kind);
    if (names === undefined) throw new Error(`no kind of name: ${kind}`);
    return names;
  }

  /** Drops all pairs: a deletion may have removed their sums. */
  forgetPairs(): void {
    for (const names of this.kinds.values()) names.forgetPairs();
  }

  /** Drops all names: inserted ones may have been rolled back. */
  forget(): void {
    for (const names of this.kinds.values()) names.forget();
  }
}

/** The statements of all kinds. */
interface Statements {
  readonly select: Statement;
  readonly insert: Statement;
  readonly selectCount: Statement;
  readonly openQuarter: Statement;
  readonly selectHasPair: Numbered;
  readonly selectPairCount: Numbered;
}

export class NamesOfKind {
  private readonly kind: string;
  private readonly statements: Statements;
  /** Whether the pairs with agents are bounded. A choice has few words, so the number of agents bounds its pairs. */
  private readonly hasPairs: boolean;
  private readonly ids = new Map<string, number>();
  private readonly last = Buffer.alloc(LAST_BYTES);
  private lastLength = -1;
  private lastId = 0;
  /** Number of names in the table; `undefined` before the first new one. */
  private count: number | undefined;
  /** The names of each agent that have sums, or get them with this group. Their number is bounded. */
  private readonly pairs = new Map<number, Set<number>>();
  /** The last pair, and the name that the event got. */
  private lastPair = { name: 0, agentType: 0, used: 0 };
  /** Number of pairs that have sums; `undefined` before the first new one. */
  private pairCount: number | undefined;

  constructor(kind: string, statements: Statements) {
    this.kind = kind;
    this.statements = statements;
    this.hasPairs =
      kind !== 'agent_type' && FIELD_SPECS.find((field) => field.name === kind)?.kind === 'text';
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

  /**
   * Returns the name that an event of this agent gets. A kind with too many pairs of both gives a new pair the overflow
   * name (rule EVT-15).
   */
  ofAgent(name: number, agentType: number): number {
    if (!this.hasPairs || name === 0) return name;
    const { lastPair } = this;
    if (lastPair.name !== name || lastPair.agentType !== agentType) {
      const isKnown = this.pairs.get(agentType)?.has(name) === true || this.admitPair(name, agentType);
      lastPair.used = isKnown ? name : this.overflowId();
      lastPair.name = name;
      lastPair.agentType = agentType;
    }
    return lastPair.used;
  }

  forgetPairs(): void {
    this.pairs.clear();
    this.lastPair = { name: 0, agentType: 0, used: 0 };
    this.pairCount = undefined;
  }

  forget(): void {
    this.forgetPairs();
    this.ids.clear();
    this.lastLength = -1;
    this.count = undefined;
  }

  private findOrInsert(name: string): number {
    const { select, selectCount } = this.statements;
    const found = select.get(this.kind, name);
    if (found !== undefined) return Number(found);
    this.count ??= Number(selectCount.get(this.kind));
    const most = this.kind === 'agent_type' ? LIMITS.agent_types : LIMITS.names_per_kind;
    return this.count >= most ? this.overflowId() : this.insertName(name);
  }

  /** Returns the id of the name that stands for all further ones. */
  private overflowId(): number {
    const found = this.statements.select.get(this.kind, VOCABULARY.overflow_name);
    return found === undefined ? this.insertName(VOCABULARY.overflow_name) : Number(found);
  }

  private insertName(name: string): number {
    if (this.count !== undefined) this.count++;
    return Number(this.statements.insert.get(this.kind, name));
  }

  /** Returns whether a pair has sums, or room for them. */
  private admitPair(name: number, agentType: number): boolean {
    const { openQuarter, selectHasPair, selectPairCount } = this.statements;
    const open = Number(openQuarter.get());
    const [hasSums] = selectHasPair.get(name, agentType, ALL_TIME, open) as readonly [number];
    if (hasSums === 0) {
      this.pairCount ??= (selectPairCount.get(this.kind, ALL_TIME, open) as readonly [number])[0];
      if (this.pairCount >= LIMITS.pairs_per_kind) return false;
      this.pairCount++;
    }
    const names = this.pairs.get(agentType) ?? new Set();
    this.pairs.set(agentType, names.add(name));
    return true;
  }
}
