/** Judges what the copies hold: nothing lost, nothing doubled, ascending ids, equal rows. */
import type { Entry, Row } from './history.ts';
import type { Report } from './property.ts';

type Copy = Extract<Entry, { kind: 'copy' }>;
type Checked = Extract<Entry, { kind: 'checked' }>;

interface Acknowledged {
  readonly node: string;
  /** The id of the answer; `undefined` when the answer does not tell it. */
  readonly id: number | undefined;
}

export class CopyJudge {
  /** The rows of the last check, which all copies have. */
  readonly stored: Row[] = [];
  members: readonly string[] = [];
  private readonly report: Report;
  private readonly sentIds = new Set<string>();
  private readonly acknowledgedIds = new Set<string>();
  /** Acknowledged events that no check has looked for. */
  private readonly pending = new Map<string, Acknowledged>();
  private readonly idOf = new Map<string, number>();
  private readonly copies = new Map<string, Copy>();

  constructor(report: Report) {
    this.report = report;
  }

  /** Returns how many of the events are new. */
  sent(eventIds: readonly string[]): number {
    const fresh = eventIds.filter((id) => !this.sentIds.has(id));
    for (const id of fresh) this.sentIds.add(id);
    return fresh.length;
  }

  /** Returns how many of the events were not acknowledged before. */
  acknowledged(node: string, eventIds: readonly string[], ids: readonly number[]): number {
    let fresh = 0;
    for (const [index, eventId] of eventIds.entries()) {
      if (!this.acknowledgedIds.has(eventId)) fresh += 1;
      this.acknowledgedIds.add(eventId);
      const known = this.pending.get(eventId)?.id ?? this.idOf.get(eventId);
      const id = ids[index];
      if (known !== undefined && id !== undefined && known !== id)
        this.report('doubled', `${eventId} was acknowledged as ${known} and, by ${node}, as ${id}`);
      if (!this.idOf.has(eventId)) this.pending.set(eventId, { node, id: id ?? known });
    }
    return fresh;
  }

  /** Takes the rows of one copy. */
  copy(copy: Copy): void {
    const { node, after, upto, rows } = copy;
    this.copies.set(node, copy);
    let last = after;
    for (const [id] of rows) {
      if (id <= last || id > upto)
        this.report('order', `${node} has the row ${id} after ${last}, up to ${upto}`);
      last = id;
    }
  }

  /** Compares all copies since the last check. */
  checked({ upto, statistics }: Checked): void {
    const [first, ...others] = this.members.map((name) => this.copies.get(name));
    this.copies.clear();
    if (first === undefined) return;
    for (const [index, other] of others.entries()) {
      const name = this.members[index + 1]!;
      const difference = other === undefined ? 'it was not read' : differenceOf(first, other);
      if (difference !== undefined) this.report('unequal', `${name} and ${first.node}: ${difference}`);
    }
    this.compareStatistics(statistics);
    if (first.after === 0 && this.stored.length > 0) this.compareWhole(first);
    else this.extend(first.rows);
    for (const [eventId, { node, id }] of this.pending) {
      const stored = this.idOf.get(eventId);
      if (stored === undefined)
        this.report(
          'lost',
          `${eventId}, which ${node} acknowledged${id === undefined ? '' : ` as ${id}`}, up to ${upto}`,
        );
      else if (id !== undefined && id !== stored)
        this.report('lost', `${eventId}: ${node} acknowledged ${id}, and it is stored as ${stored}`);
    }
    this.pending.clear();
  }

  private compareStatistics(statistics: Readonly<Record<string, string>>): void {
    const [first, ...others] = Object.entries(statistics);
    for (const [name, text] of others) {
      const [firstName, expected] = first!;
      if (text === expected) continue;
      const at = [...text].findIndex((one, index) => one !== expected[index]);
      const [found, wanted] = [text, expected].map((one) => one.slice(Math.max(0, at - 40), at + 20));
      this.report('unequal', `statistics of ${name} and ${firstName}: ${found} is not ${wanted}`);
    }
  }

  private extend(rows: readonly Row[]): void {
    for (const row of rows) {
      const [id, eventId] = row;
      const known = this.idOf.get(eventId);
      if (known !== undefined) this.report('doubled', `${eventId} is stored as ${known} and ${id}`);
      if (!this.sentIds.has(eventId)) this.report('foreign', `${eventId} is stored as ${id}`);
      if (known === undefined) this.idOf.set(eventId, id);
      this.stored.push(row);
    }
  }

  /** Compares a copy that was read from its beginning with all earlier checks. */
  private compareWhole(copy: Copy): void {
    const seen = this.stored.length;
    const before = { ...copy, rows: this.stored, node: 'the checks before' };
    const difference = differenceOf(before, { ...copy, rows: copy.rows.slice(0, seen) });
    if (difference !== undefined) this.report('unequal', `${copy.node} and the checks before: ${difference}`);
    else this.extend(copy.rows.slice(seen));
  }
}

/** Returns the first difference of two copies. */
function differenceOf(one: Copy, other: Copy): string | undefined {
  if (one.after !== other.after || one.upto !== other.upto) return 'they were read between different ids';
  const length = Math.max(one.rows.length, other.rows.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.rows[at], other.rows[at]];
    if (a?.join() !== b?.join()) return `${b?.join(' ') ?? 'no row'} is not ${a?.join(' ') ?? 'there'}`;
  }
  return undefined;
}
