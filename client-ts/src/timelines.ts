/**
 * Detects a database that was restored to an older state, such as a backup. Its epoch stays, so only a falling
 * revision shows it.
 *
 * Within an epoch no revision falls (SYN-01), and a connection reports revisions read after its request. So a
 * connection that reports a lower revision than was known before its request belongs to a restored database.
 * Revisions learnt after the request prove nothing: they may be newer than the connection's report.
 */
import { compareRevisions, maxRevision, type Revision, ZERO } from './revision.ts';
import { type Invalidation, isInvalidation, type Known } from './sync-options.ts';

type Revised = Invalidation & Known;

export class Timelines {
  /** The newest known revision of each topic in each epoch. */
  readonly #known = new Map<string, Revision>();
  /** The revisions known when the connection was requested. */
  #before = new Map<string, Revision>();

  connect(): void {
    this.#before = new Map(this.#known);
  }

  /** Records the revision of a snapshot. */
  know(revised: Revised): void {
    const key = keyOf(revised);
    this.#known.set(key, maxRevision(this.#known.get(key) ?? ZERO, revised.revision));
  }

  /** Checks a notification of the connection; adds `reset` to the first one of an older state. */
  hear(heard: unknown): unknown {
    // The subscriber reports what is wrong with it.
    if (!isInvalidation(heard)) return heard;
    const key = keyOf(heard);
    const reset = compareRevisions(heard.revision, this.#before.get(key) ?? ZERO) < 0;
    if (reset) {
      this.#before.delete(key);
      this.#known.delete(key);
    }
    this.know(heard);
    return { ...heard, reset };
  }
}

const keyOf = ({ topic, epoch }: Revised) => `${epoch} ${topic}`;
