/**
 * Reads a few of the newest events as JSON text on the main thread.
 *
 * A few rows that were just written cost less to read than a thread costs to wake (decision 26). Who looks after
 * every commit looks after the next one, too: what that stored is read ahead, while whoever is told of it gets ready to
 * ask (decision 33).
 *
 * The only place where the main thread runs SQLite, which is loaded there when it is first needed. What must stay true:
 * one read is sixteen rows and a mebibyte of metadata at most, however much is written meanwhile, so that nobody waits
 * for it; no more than that is kept; stored events never change; the connection is closed before the writer's.
 */
import { idOf, renderEvent, renderEventList, renderSnapshot } from '../render.ts';
import type { Connection } from './connection.ts';
import { storeCode } from './failure.ts';
import type { Queries } from './query.ts';
import type { ReaderData, Snapshot, SnapshotRead } from './read.ts';
import { ReadFailed } from './reader.ts';

/** What comes between two looks of a client that looks once a frame of a screen, 16 ms, at 1,000 events/s. */
const MOST_EVENTS = 16;
/** Of metadata; where a server takes longer ones, fewer events are read. */
const MOST_BYTES = 1 << 20;

interface Opened {
  readonly db: Connection;
  readonly queries: Queries;
}

/** An event and its JSON text. */
interface Rendered {
  readonly id: number;
  readonly json: string;
}

export class Newest {
  private readonly data: ReaderData;
  private readonly mostEvents: number;
  private opening: Promise<Opened> | undefined;
  private opened: Opened | undefined;
  /** Every event with `from` < id <= `to`, newest first. */
  private held: readonly Rendered[] = [];
  private from = 0;
  private to = 0;
  /** Commits since somebody looked, and whether it was one at most between the two looks before. */
  private commits = 0;
  private isFollowed = false;

  constructor(data: ReaderData, maxMetadataBytes: number) {
    this.data = data;
    this.mostEvents = Math.min(MOST_EVENTS, Math.floor(MOST_BYTES / maxMetadataBytes));
  }

  /** Whether a read asks for a few of the newest events and nothing else (rule SYN-07); `newest` is the newest id. */
  covers({ topic, since, isReset }: SnapshotRead, newest: number): boolean {
    if (topic.kind !== 'events' || since === undefined || isReset) return false;
    return since <= newest && since >= newest - this.mostEvents;
  }

  /**
   * What came since, of the moment of the last read: its newest row is the revision, and `newest` or above. Nothing
   * where it is more than fits, since more was written meanwhile or less was asked for. Rejects with a `ReadFailed`.
   */
  async snapshot(
    { topic, epoch, limit, since, known }: SnapshotRead,
    newest: number,
  ): Promise<Snapshot<string>> {
    if (since === undefined) return undefined;
    try {
      const { queries } = this.opened ?? (await this.open());
      this.isFollowed = this.commits <= 1;
      this.commits = 0;
      if (since < this.from || since > this.to) this.restart(since);
      if (this.to < newest) this.readOn(queries);
      if (since < this.from) return undefined;
      const events = this.held.filter(({ id }) => id > since);
      if (events.length > limit) return undefined;
      const revision = this.to;
      if (known === 'any' || known.includes(String(revision))) return { revision, json: undefined };
      const data = renderEventList(
        events.map(({ json }) => json),
        null,
      );
      return { revision, json: renderSnapshot({ topic: topic.name, epoch, revision, since, data }) };
    } catch (error) {
      throw new ReadFailed(storeCode(error), error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Something was committed, up to this id. Where it will be asked for it is read ahead, behind what this turn still
   * has to tell: called after those who follow were woken.
   */
  committed(newest: number): void {
    this.commits++;
    if (!this.isFollowed || this.commits > 1 || newest - this.to > this.mostEvents) return;
    setImmediate(() => {
      if (this.opened === undefined || this.to >= newest) return;
      try {
        this.readOn(this.opened.queries);
      } catch {
        // Whoever asks reads for itself, and is told why that fails.
      }
    });
  }

  async close(): Promise<void> {
    const opening = await this.opening?.catch(() => undefined);
    this.opened = undefined;
    opening?.db.close();
  }

  /** From now on it holds what comes after this id. */
  private restart(id: number): void {
    this.held = [];
    this.from = id;
    this.to = id;
  }

  /** Takes in what was written since, by one statement, which is one moment. Throws what SQLite says. */
  private readOn(queries: Queries): void {
    const most = this.mostEvents;
    const { rows, more } = queries.listEvents({ fields: {}, after: this.to, order: 'desc', limit: most });
    const [newest] = rows;
    if (newest === undefined) return;
    const read = rows.map((row): Rendered => ({ id: idOf(row), json: renderEvent(row) }));
    const all = more ? read : [...read, ...this.held];
    if (more) this.from = read.at(-1)!.id - 1;
    else if (all.length > most) this.from = all[most]!.id;
    this.held = all.slice(0, most);
    this.to = idOf(newest);
  }

  private async open(): Promise<Opened> {
    this.opening ??= this.connect();
    this.opened = await this.opening;
    return this.opened;
  }

  private async connect(): Promise<Opened> {
    try {
      const [{ openConnection }, { Queries }] = await Promise.all([
        import('./connection.ts'),
        import('./query.ts'),
      ]);
      const db = openConnection({ ...this.data, readonly: true });
      return { db, queries: new Queries(db, this.data.sessionTimeoutMinutes) };
    } catch (error) {
      // Whoever asks next may try again.
      this.opening = undefined;
      throw error;
    }
  }
}
