/**
 * Judges reads. Those of a node never go backwards, and they include what the node acknowledged. Those of a client with
 * `min_seq` do the same across all nodes (rule CLU-09).
 */
import type { Entry } from './history.ts';
import type { Report } from './property.ts';

type Asked = Extract<Entry, { kind: 'asked' }>;
type Read = Extract<Entry, { kind: 'read' }>;

interface Seen {
  newest: number;
  total: number;
}

interface Open {
  readonly name: string;
  readonly isMoving: boolean;
  readonly floor: Seen;
}

export class ReadJudge {
  private readonly report: Report;
  /** What a copy of a node has shown or acknowledged. */
  private readonly seen = new Map<string, Seen>();
  /** What the client with `min_seq` has seen, on whichever node. */
  private readonly moving: Seen = { newest: 0, total: 0 };
  private readonly open = new Map<number, Open>();

  constructor(report: Report) {
    this.report = report;
  }

  acknowledged(node: string, copy: number, ids: readonly number[]): void {
    const seen = this.seenOf(nameOf(node, copy));
    seen.newest = Math.max(seen.newest, ...ids);
  }

  asked({ read, node, copy, min_seq }: Asked): void {
    const name = nameOf(node, copy);
    const isMoving = min_seq !== undefined;
    const { newest, total } = isMoving ? this.moving : this.seenOf(name);
    this.open.set(read, { name, isMoving, floor: { newest: Math.max(newest, min_seq ?? 0), total } });
  }

  /** Returns whether the read was one with `min_seq`. */
  read({ read, newest, total }: Read): boolean {
    const asked = this.open.get(read);
    if (asked === undefined) return false;
    this.open.delete(read);
    const { name, isMoving, floor } = asked;
    const property = isMoving ? 'moving' : 'backwards';
    const who = isMoving ? 'a client with min_seq' : name;
    const where = isMoving ? ` on ${name}` : '';
    if (newest < floor.newest)
      this.report(
        property,
        `${who} saw or wrote ${floor.newest}, and then the newest id was ${newest}${where}`,
      );
    if (total < floor.total)
      this.report(property, `${who} counted ${floor.total} events, and then ${total}${where}`);
    const seen = isMoving ? this.moving : this.seenOf(name);
    seen.newest = Math.max(seen.newest, newest);
    seen.total = Math.max(seen.total, total);
    return isMoving;
  }

  private seenOf(name: string): Seen {
    const seen = this.seen.get(name) ?? { newest: 0, total: 0 };
    this.seen.set(name, seen);
    return seen;
  }
}

/** A node whose database was deleted begins again. */
function nameOf(node: string, copy: number): string {
  return copy === 0 ? node : `${node} (copy ${copy + 1})`;
}
