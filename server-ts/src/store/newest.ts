/**
 * Reads a few of the newest events as JSON text on the main thread.
 *
 * Reading a few newly written rows is cheaper than waking a thread (decision 26).
 *
 * The main thread runs SQLite only here, and loads it at the first such read. Invariant: one read is at most sixteen
 * rows and 1 MiB of metadata at any write rate, so that no other request waits for it. The connection closes before
 * the writer's.
 */
import { renderSnapshot } from '../render/snapshot.ts';
import { idOf, renderEvents } from '../render.ts';
import type { Connection } from './connection.ts';
import type { listEvents } from './event-search.ts';
import { storeCode } from './failure.ts';
import type { EventFilter, Queries } from './query.ts';
import type { ReaderData, Snapshot, SnapshotRead } from './read.ts';
import { ReadFailed } from './reader.ts';

/** Largest number of events of a read: those of 16 ms, one screen frame, at 1,000 events/s. */
const MOST_EVENTS = 16;
/** Largest number of metadata bytes of a read. With a larger metadata limit, the server reads fewer events. */
const MOST_BYTES = 1 << 20;

interface Opened {
  readonly db: Connection;
  readonly queries: Queries;
  readonly listEvents: typeof listEvents;
}

export class Newest {
  private readonly data: ReaderData;
  private readonly mostEvents: number;
  private opening: Promise<Opened> | undefined;

  constructor(data: ReaderData, maxMetadataBytes: number) {
    this.data = data;
    this.mostEvents = Math.min(MOST_EVENTS, Math.floor(MOST_BYTES / maxMetadataBytes));
  }

  /**
   * Returns whether a read asks only for a few of the newest events (rule SYN-07). `newest` is the newest id, and
   * `lastDeletion` the newest that a deletion took.
   */
  covers({ topic, format, since, isReset }: SnapshotRead, newest: number, lastDeletion: number): boolean {
    if (topic.kind !== 'events' || format !== 'json' || since === undefined || isReset) return false;
    return since <= newest && since >= Math.max(newest - this.mostEvents, lastDeletion);
  }

  /**
   * Reads the events above `since` by one statement, which sees one state of the file: its newest row is the
   * revision. Resolves to undefined when there are more events than fit, or than the read asks for. Rejects with a
   * `ReadFailed`.
   */
  async snapshot({ topic, epoch, limit, since, known }: SnapshotRead): Promise<Snapshot<string>> {
    if (since === undefined) return undefined;
    try {
      this.opening ??= this.open();
      const { queries, listEvents } = await this.opening;
      const most = Math.min(limit, this.mostEvents);
      const filter: EventFilter = { fields: {}, after: since, order: 'desc', limit: most };
      const { rows, reached } = listEvents(queries, filter);
      // This read comes after the rows, so that it includes every deletion that changed them.
      if (reached.next !== null || queries.lastDeletion() > since) return undefined;
      const revision = rows[0] === undefined ? since : idOf(rows[0]);
      if (known === 'any' || known.includes(String(revision))) return { revision, data: undefined };
      const data = renderEvents(rows, reached);
      return { revision, data: renderSnapshot({ topic: topic.name, epoch, revision, since }, data) };
    } catch (error) {
      throw new ReadFailed(storeCode(error), error instanceof Error ? error.message : String(error));
    }
  }

  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    opened?.db.close();
  }

  private async open(): Promise<Opened> {
    try {
      const [{ openConnection }, { Queries }, { listEvents }] = await Promise.all([
        import('./connection.ts'),
        import('./query.ts'),
        import('./event-search.ts'),
      ]);
      const db = openConnection({ ...this.data, readonly: true });
      const queries = new Queries(db, this.data.sessionTimeoutMinutes, this.data.waitingStaleHours);
      return { db, queries, listEvents };
    } catch (error) {
      // The next read tries again.
      this.opening = undefined;
      throw error;
    }
  }
}
