/**
 * Keeps what one client has not been notified of: one slot per topic, with the newest revision (rule SYN-04).
 *
 * Pure: no clock, no I/O. So a slow client costs as much as it has topics, however much happens meanwhile.
 */
import type { Topic } from './topics.ts';

/** A topic and the revision that it has risen to. */
export interface Change {
  readonly topic: Topic;
  readonly revision: number;
}

/** Less than any revision: that of a topic of which nothing is known yet. */
const UNKNOWN = -1;

export class Slots {
  readonly topics: readonly Topic[];
  /** By the places of the topics. */
  private readonly newest: number[];
  private readonly told: number[];

  constructor(topics: readonly Topic[]) {
    this.topics = topics;
    this.newest = topics.map(() => UNKNOWN);
    this.told = topics.map(() => UNKNOWN);
  }

  /** A revision of the topic at this place; one that is not newer changes nothing. */
  offer(at: number, revision: number): void {
    if (revision > this.newest[at]!) this.newest[at] = revision;
  }

  /** Whether there is something that was not told yet. */
  get isDue(): boolean {
    return this.newest.some((revision, at) => revision !== this.told[at]);
  }

  /** What was not told yet, in the order of the topics; from now on it counts as told. */
  take(): Change[] {
    const changes: Change[] = [];
    this.topics.forEach((topic, at) => {
      const revision = this.newest[at]!;
      if (revision === this.told[at]) return;
      this.told[at] = revision;
      changes.push({ topic, revision });
    });
    return changes;
  }
}
