/**
 * Judges a history: which properties of a shared stream it violates.
 *
 * It knows nothing of servers. So it judges a run while it goes on, a file, and the invented histories of its tests.
 */
import type { Entry } from './history.ts';
import { AttachmentJudge } from './judge-attachments.ts';
import { CopyJudge } from './judge-copies.ts';
import { ReadJudge } from './judge-reads.ts';
import { StreamJudge } from './judge-stream.ts';
import type { Report, Violation } from './property.ts';

export interface Counts {
  sent: number;
  acknowledged: number;
  unknown: number;
  repeated: number;
  stored: number;
  reads: number;
  /** Reads with `min_seq`. */
  moving: number;
  streamed: number;
  moves: number;
  /** Acknowledged attachments. */
  attached: number;
  checks: number;
  readonly faults: Map<string, number>;
}

interface Sent {
  readonly node: string;
  readonly copy: number;
  readonly event_ids: readonly string[];
  /** The newest acknowledged id when the request was sent. */
  readonly floor: number;
}

export class Judge {
  readonly violations: Violation[] = [];
  readonly counts: Counts = {
    sent: 0,
    acknowledged: 0,
    unknown: 0,
    repeated: 0,
    stored: 0,
    reads: 0,
    moving: 0,
    streamed: 0,
    moves: 0,
    attached: 0,
    checks: 0,
    faults: new Map(),
  };
  private readonly requests = new Map<number, Sent>();
  private readonly copies: CopyJudge;
  private readonly attachments: AttachmentJudge;
  private readonly reads: ReadJudge;
  private readonly stream: StreamJudge;
  private newest = 0;

  constructor() {
    const report: Report = (property, text) => void this.violations.push({ property, text });
    this.copies = new CopyJudge(report);
    this.attachments = new AttachmentJudge(report);
    this.reads = new ReadJudge(report);
    this.stream = new StreamJudge(report);
  }

  /** Takes the next entry. */
  take(entry: Entry): void {
    const { counts } = this;
    switch (entry.kind) {
      case 'begin':
        this.copies.members = entry.members;
        break;
      case 'sent':
        this.requests.set(entry.request, { ...entry, floor: this.newest });
        counts.sent += this.copies.sent(entry.event_ids);
        break;
      case 'acknowledged':
        this.acknowledged(entry.request, entry.ids, entry.duplicates);
        break;
      case 'unknown':
        counts.unknown += 1;
        this.requests.delete(entry.request);
        break;
      case 'refused':
        this.violations.push({ property: 'refused', text: `request ${entry.request}: ${entry.why}` });
        break;
      case 'asked':
        this.reads.asked(entry);
        break;
      case 'read':
        counts.reads += 1;
        if (this.reads.read(entry)) counts.moving += 1;
        break;
      case 'moved':
        counts.moves += 1;
        break;
      case 'reset':
        this.stream.reset(entry);
        break;
      case 'streamed':
        counts.streamed += 1;
        this.stream.streamed(entry);
        break;
      case 'fault':
        counts.faults.set(entry.fault, (counts.faults.get(entry.fault) ?? 0) + 1);
        break;
      case 'healed':
        break;
      case 'stuck':
        this.violations.push({ property: 'stuck', text: `${entry.node}: ${entry.why}` });
        break;
      case 'attaching':
        this.attachments.attaching(entry.place, entry.sha256);
        break;
      case 'attached':
        counts.attached = this.attachments.attached(entry.node, entry.place);
        break;
      case 'attachment_refused':
        this.violations.push({ property: 'refused', text: `${entry.place.join(', ')}: ${entry.why}` });
        break;
      case 'attachments':
        this.attachments.attachments(entry);
        break;
      case 'copy':
        this.copies.copy(entry);
        break;
      case 'checked':
        counts.checks += 1;
        this.copies.checked(entry);
        this.attachments.checked(this.copies.members);
        counts.stored = this.copies.stored.length;
        this.stream.checked(entry.upto, this.copies.stored);
        break;
    }
  }

  private acknowledged(request: number, ids: readonly number[], duplicates: number): void {
    const sent = this.requests.get(request);
    if (sent === undefined) return;
    this.requests.delete(request);
    const report = (text: string) => void this.violations.push({ property: 'order', text });
    const { node, copy, event_ids, floor } = sent;
    for (const [index, id] of ids.entries()) {
      if (id <= floor) report(`${node} acknowledged ${id}, but ${floor} was acknowledged before the request`);
      if (index > 0 && id <= ids[index - 1]!) report(`${node} acknowledged ${ids.join(', ')}`);
    }
    if (ids.length + duplicates !== event_ids.length)
      report(`${node} acknowledged ${ids.length + duplicates} of ${event_ids.length} events`);
    this.newest = Math.max(this.newest, ...ids);
    this.reads.acknowledged(node, copy, ids);
    this.counts.repeated += duplicates;
    this.counts.acknowledged += this.copies.acknowledged(node, event_ids, duplicates === 0 ? ids : []);
  }
}

/** Returns the violations of a whole history. */
export function judge(history: readonly Entry[]): readonly Violation[] {
  const one = new Judge();
  for (const entry of history) one.take(entry);
  return one.violations;
}
