/**
 * Keeps unreported revisions of one client's topics: the newest revision of each topic (rule SYN-04).
 *
 * Pure: no clock, no I/O. A slow client costs as much memory as it has topics, at any rate of changes.
 */
import type { Topic } from './topics.ts';

/** A topic and its new revision. */
export interface Change {
  readonly topic: Topic;
  readonly revision: number;
}

/** The value for a topic without a known revision, less than any revision. */
const UNKNOWN = -1;

export class Slots {
  readonly topics: readonly Topic[];
  /** Revisions by the positions of the topics. */
  private readonly newest: number[];
  private readonly reported: number[];

  constructor(topics: readonly Topic[]) {
    this.topics = topics;
    this.newest = topics.map(() => UNKNOWN);
    this.reported = topics.map(() => UNKNOWN);
  }

  /** Records a revision of the topic at this position; a revision that is not newer changes nothing. */
  offer(at: number, revision: number): void {
    if (revision > this.newest[at]!) this.newest[at] = revision;
  }

  /** Whether a revision is not reported yet. */
  get isDue(): boolean {
    return this.newest.some((revision, at) => revision !== this.reported[at]);
  }

  /** Returns the unreported changes in the order of the topics; from then on they count as reported. */
  take(): Change[] {
    const changes: Change[] = [];
    this.topics.forEach((topic, at) => {
      const revision = this.newest[at]!;
      if (revision === this.reported[at]) return;
      this.reported[at] = revision;
      changes.push({ topic, revision });
    });
    return changes;
  }
}
