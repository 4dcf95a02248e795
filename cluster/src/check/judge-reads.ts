/** Judges reads of single nodes: they never go backwards, and they include what the node acknowledged. */
import type { Entry } from './history.ts';
import type { Report } from './property.ts';

type Asked = Extract<Entry, { kind: 'asked' }>;
type Read = Extract<Entry, { kind: 'read' }>;

interface Seen {
  newest: number;
  total: number;
}

export class ReadJudge {
  private readonly report: Report;
  /** What a copy of a node has shown or acknowledged. */
  private readonly seen = new Map<string, Seen>();
  private readonly open = new Map<number, { readonly name: string; readonly floor: Seen }>();

  constructor(report: Report) {
    this.report = report;
  }

  acknowledged(node: string, copy: number, ids: readonly number[]): void {
    const seen = this.seenOf(nameOf(node, copy));
    seen.newest = Math.max(seen.newest, ...ids);
  }

  asked({ read, node, copy }: Asked): void {
    const name = nameOf(node, copy);
    this.open.set(read, { name, floor: { ...this.seenOf(name) } });
  }

  read({ read, newest, total }: Read): void {
    const asked = this.open.get(read);
    if (asked === undefined) return;
    this.open.delete(read);
    const { name, floor } = asked;
    if (newest < floor.newest)
      this.report(
        'backwards',
        `${name} showed or acknowledged ${floor.newest}, and then its newest id was ${newest}`,
      );
    if (total < floor.total)
      this.report('backwards', `${name} counted ${floor.total} events, and then ${total}`);
    const seen = this.seenOf(name);
    seen.newest = Math.max(seen.newest, newest);
    seen.total = Math.max(seen.total, total);
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
