/**
 * Tells when a database was put back to an older state of itself, such as a backup: it has the same epoch then, and
 * nothing but its revisions says so.
 *
 * Within an epoch none falls (SYN-01), and a connection tells of what was read after it was asked for. So one that tells
 * of less than what was known before can only be of a database that lost it. What is known later says nothing: it may
 * have overtaken what the connection had to tell.
 */
import { compareRevisions, maxRevision, type Revision, ZERO } from './revision.ts';
import { type Invalidation, isInvalidation, type Known } from './sync-options.ts';

type Told = Invalidation & Known;

export class Timelines {
  /** The newest revision of each topic in each epoch. */
  readonly #known = new Map<string, Revision>();
  /** Those that were known when the connection was asked for. */
  #before = new Map<string, Revision>();

  connect(): void {
    this.#before = new Map(this.#known);
  }

  /** What a snapshot says. */
  know(told: Told): void {
    const key = keyOf(told);
    this.#known.set(key, maxRevision(this.#known.get(key) ?? ZERO, told.revision));
  }

  /** What the connection tells; with `reset` where it is the first of an older state. */
  hear(heard: unknown): unknown {
    // Whoever hears it says what is wrong with it.
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

const keyOf = ({ topic, epoch }: Told) => `${epoch} ${topic}`;
