/**
 * Decides which chunks of the bucket belong to no upload any more (rule CLU-17). Pure.
 *
 * A kill in the middle of an upload leaves chunks that no object names. So does an upload that is in progress. Only time
 * tells the two apart.
 */

/** Chunks without an object, and when this server saw them first. */
export class Leftovers {
  private seen: ReadonlyMap<string, number> = new Map();

  /** Takes the chunks that have no object now; returns those that had none for `mostMs`. */
  overdue(found: readonly string[], nowMs: number, mostMs: number): string[] {
    const { seen } = this;
    this.seen = new Map(found.map((id) => [id, seen.get(id) ?? nowMs]));
    return found.filter((id) => nowMs - (this.seen.get(id) ?? nowMs) >= mostMs);
  }
}
