/**
 * Summarises 256 blocks: their names in one list, so that a page with a rare filter does not read the summary of
 * every block.
 *
 * Invariant: every name of a block is in its span, which the block's own transaction writes, unless the span matches
 * any name. A superfluous name costs a read; a missing one would hide rows.
 */
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import { fromBytes, toBytes } from './number-list.ts';

const NONE = -1;

/** The summary of the current span. */
export class EventSpans {
  private readonly select: Statement;
  private readonly upsert: Statement;
  private readonly updateTimes: Statement;
  private id = NONE;
  /** The names of the span; `null` matches any name. */
  private names: Set<number> | null = null;

  constructor(db: Connection) {
    this.select = db.prepare<unknown[]>(inOrder(QUERIES.selectEventSpan)).pluck() as Statement;
    this.upsert = db.prepare<unknown[]>(inOrder(QUERIES.upsertEventSpan));
    this.updateTimes = db.prepare<unknown[]>(inOrder(QUERIES.updateSpanTimes));
  }

  /** Adds a block each time its names change; writes its span when the span gains a name. */
  addBlock(block: number, names: ReadonlySet<number>): void {
    const id = Math.floor(block / LIMITS.event_span_blocks);
    if (id !== this.id) {
      this.updateTimes.run(id);
      this.load(id);
    }
    if (this.names === null) return;
    const before = this.names.size;
    for (const name of names) this.names.add(name);
    if (this.names.size === before) return;
    if (this.names.size > LIMITS.event_span_names) this.names = null;
    this.upsert.run(id, this.names && toBytes(this.names));
  }

  /** Drops the additions of a transaction that was rolled back. */
  forget(): void {
    this.id = NONE;
  }

  /** Loads the span, or creates an empty one. */
  private load(id: number): void {
    const stored = this.select.get(id) as Buffer | null | undefined;
    this.id = id;
    this.names = stored === undefined ? new Set() : stored && fromBytes(stored);
  }
}
