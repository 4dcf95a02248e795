/** Judges what a client of the stream saw while it moved between nodes. */
import type { Entry, Row } from './history.ts';
import type { Report } from './property.ts';

type Streamed = Extract<Entry, { kind: 'streamed' }>;
type Reset = Extract<Entry, { kind: 'reset' }>;

export class StreamJudge {
  private readonly report: Report;
  /** What was streamed since the last check. */
  private seen: Streamed[] = [];
  private last = 0;
  /** Number of stored rows that earlier checks found in the stream. */
  private compared = 0;

  constructor(report: Report) {
    this.report = report;
  }

  streamed(entry: Streamed): void {
    if (entry.id <= this.last)
      this.report('stream', `${entry.node} streamed ${entry.id} after ${this.last} was seen`);
    this.last = Math.max(this.last, entry.id);
    this.seen.push(entry);
  }

  /** A cursor is known to every copy, also to one that is behind (rule CLU-09). */
  reset({ node, after }: Reset): void {
    this.report('stream', `${node} answered reset to a client that had seen ${after}`);
  }

  /** Compares the stream with the rows of a check. */
  checked(upto: number, stored: readonly Row[]): void {
    const streamed = new Map(this.seen.map((entry) => [entry.id, entry.event_id]));
    for (const [id, eventId] of stored.slice(this.compared)) {
      const found = streamed.get(id);
      if (found === undefined) this.report('stream', `${eventId} was stored as ${id} and not streamed`);
      else if (found !== eventId)
        this.report('stream', `${found} was streamed as ${id}, which is ${eventId}`);
      streamed.delete(id);
    }
    for (const [id, eventId] of streamed)
      if (id <= upto) this.report('stream', `${eventId} was streamed as ${id} and is not stored`);
    this.compared = stored.length;
    this.seen = this.seen.filter(({ id }) => id > upto);
  }
}
