/** Judges the attachments of the copies: each acknowledged one is whole in all, and any other one is in all or none. */
import type { AttachmentPlace, Entry } from './history.ts';
import type { Report } from './property.ts';

type Held = Extract<Entry, { kind: 'attachments' }>;

export class AttachmentJudge {
  private readonly report: Report;
  /** Digests of what was sent, by place. */
  private readonly sent = new Map<string, string>();
  /** The node that acknowledged it, by place. */
  private readonly acknowledged = new Map<string, string>();
  /** Acknowledged places that no check has looked at. */
  private readonly pending = new Set<string>();
  private held: Held[] = [];

  constructor(report: Report) {
    this.report = report;
  }

  attaching(place: AttachmentPlace, sha256: string): void {
    this.sent.set(textOf(place), sha256);
  }

  /** Returns how many attachments are acknowledged. */
  attached(node: string, place: AttachmentPlace): number {
    this.acknowledged.set(textOf(place), node);
    this.pending.add(textOf(place));
    return this.acknowledged.size;
  }

  /** Takes the attachments of one copy, at the places where one may be. */
  attachments(held: Held): void {
    this.held.push(held);
  }

  /** Compares all copies since the last check. */
  checked(members: readonly string[]): void {
    const places = new Set(this.pending);
    for (const { found } of this.held) for (const [place] of found) places.add(textOf(place));
    const copies = members.map((node) => ({ node, digests: this.digestsOf(node) }));
    for (const place of places) {
      const [by, wanted] = [this.acknowledged.get(place), this.sent.get(place)];
      const isAnywhere = copies.some(({ digests }) => digests.has(place));
      for (const { node, digests } of copies) {
        const digest = digests.get(place);
        if (digest === undefined && by !== undefined)
          this.report('attached', `${place}, which ${by} acknowledged, is not on ${node}`);
        else if (digest === undefined && isAnywhere)
          this.report('attached', `${place} is on some nodes, and not on ${node}`);
        else if (digest !== undefined && digest !== wanted)
          this.report('attached', `${place} on ${node} is ${digest}, and ${wanted ?? 'nothing'} was sent`);
      }
    }
    this.pending.clear();
    this.held = [];
  }

  /** Returns what one copy has, by place. */
  private digestsOf(node: string): Map<string, string> {
    const found = this.held.filter((held) => held.node === node).flatMap((held) => held.found);
    return new Map(found.map(([place, digest]) => [textOf(place), digest]));
  }
}

function textOf([id, name]: AttachmentPlace): string {
  return `${name} of ${id}`;
}
