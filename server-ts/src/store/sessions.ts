/**
 * Sums up the effects of a group of events on its sessions: one upsert per session and group.
 *
 * Belongs to the writer's thread. The cache of keys is bounded, and a rollback drops it. Sums are exact numbers: they
 * are written before one would pass 2^53-1 (rule STA-06).
 */
import {
  addEvent,
  hasRoom,
  noSums,
  pick,
  RARE_OF_SESSIONS,
  type Sums,
  USUAL_OF_SESSIONS,
} from '../figure.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, Numbered, type Statement } from './connection.ts';

/** Largest number of cached session keys. */
const CACHE_ENTRIES = 50_000;

/** What the newest event that ends or reopens a session means for it. */
export interface SessionEnd {
  /** The time of the end; null when the event reopens the session. */
  readonly endedAt: number | null;
  /** Whether the event is history. It has no effect on a session with a live event. */
  readonly isHistory: boolean;
}

/** The sums of one session so far; names by their ids, 0 for none. */
export class SessionDelta {
  readonly key: number;
  readonly sessionId: string;
  readonly agentType: number;
  readonly firstEventId: number;
  project = 0;
  branch = 0;
  model = 0;
  /** How an event ended or reopened it (rule SES-02); absent when only other events arrived. */
  end: SessionEnd | undefined = undefined;
  /** Whether one of its events is more than a dismissal. The times are those of such events then. */
  isActive = false;
  startedAt = Number.POSITIVE_INFINITY;
  lastEventAt = Number.NEGATIVE_INFINITY;
  liveAt: number | null = null;
  lastEventId = 0;
  readonly sums = noSums();

  constructor(key: number, sessionId: string, agentType: number, firstEventId: number) {
    this.key = key;
    this.sessionId = sessionId;
    this.agentType = agentType;
    this.firstEventId = firstEventId;
  }

  /** Adds an event that ends or reopens the session, after its time. */
  addEnd(end: SessionEnd): void {
    if (!end.isHistory || this.liveAt === null) this.end = end;
  }

  /** Adds the time of an event. `liveAt` is its arrival if it is not history. */
  addTime(time: number, liveAt: number | null, isActivity: boolean): void {
    if (isActivity && !this.isActive) {
      // Times of dismissals do not count next to others.
      this.startedAt = time;
      this.lastEventAt = time;
      this.liveAt = null;
      this.isActive = true;
    }
    if (isActivity || !this.isActive) {
      this.startedAt = Math.min(this.startedAt, time);
      this.lastEventAt = Math.max(this.lastEventAt, time);
      this.liveAt = liveAt ?? this.liveAt;
    }
  }
}

export class SessionDeltas {
  private readonly selectKey: Statement;
  private readonly selectLastKey: Statement;
  private readonly upsert: Numbered;
  private readonly addRare: Numbered;
  private readonly keys = new Map<string, number>();
  private readonly deltas = new Map<string, SessionDelta>();
  private lastKey = 0;
  private last: SessionDelta | undefined;
  private lastBytes: Buffer = Buffer.alloc(0);

  constructor(db: Connection) {
    this.selectKey = db.prepare(inOrder(QUERIES.selectSessionKey)).pluck() as Statement;
    this.selectLastKey = db.prepare(inOrder(QUERIES.selectLastSessionKey)).pluck() as Statement;
    this.upsert = new Numbered(db, QUERIES.upsertSession);
    this.addRare = new Numbered(db, QUERIES.addRareFiguresToSession);
    this.forget();
  }

  /** Returns the sums of the session whose id lies from `start` up to `end`; `eventId` belongs to its next event. */
  delta(bytes: Buffer, start: number, end: number, agentType: number, eventId: number): SessionDelta {
    if (this.last !== undefined && this.isLast(bytes, start, end)) return this.last;
    const sessionId = bytes.toString('utf8', start, end);
    let delta = this.deltas.get(sessionId);
    if (delta === undefined) {
      delta = new SessionDelta(this.keyOf(sessionId), sessionId, agentType, eventId);
      this.deltas.set(sessionId, delta);
    }
    this.last = delta;
    this.lastBytes = Buffer.from(sessionId);
    return delta;
  }

  /** Adds one event's figures; writes the sums first if one would pass 2^53-1. */
  add(delta: SessionDelta, figures: Sums): void {
    if (!hasRoom(delta.sums, figures)) this.writeOne(delta);
    addEvent(delta.sums, figures);
  }

  /** Writes the group's sums. */
  write(): void {
    // In the order of their newest events, which is that of the index.
    const deltas = [...this.deltas.values()].sort((one, other) => one.lastEventId - other.lastEventId);
    for (const delta of deltas) this.writeOne(delta);
    this.deltas.clear();
    this.last = undefined;
  }

  /** Writes one session's sums early and continues from zero. */
  writeOne(delta: SessionDelta): void {
    this.upsert.run(
      delta.key,
      delta.sessionId,
      delta.agentType,
      delta.project || null,
      delta.branch || null,
      delta.model || null,
      delta.end?.endedAt ?? null,
      delta.startedAt,
      delta.lastEventAt,
      delta.liveAt,
      delta.lastEventId,
      delta.firstEventId,
      Number(delta.isActive),
      delta.end === undefined ? 0 : delta.end.isHistory ? 2 : 1,
      ...pick(delta.sums, USUAL_OF_SESSIONS),
    );
    // A separate statement, so that the row of a session without rare figures costs no more.
    if (RARE_OF_SESSIONS.some((figure) => delta.sums[figure]! > 0))
      this.addRare.run(delta.key, ...pick(delta.sums, RARE_OF_SESSIONS));
    delta.sums.fill(0);
  }

  /** Drops all keys and sums: inserted keys may have been rolled back. */
  forget(): void {
    this.keys.clear();
    this.deltas.clear();
    this.last = undefined;
    this.lastKey = Number(this.selectLastKey.get());
  }

  private isLast(bytes: Buffer, start: number, end: number): boolean {
    const { lastBytes } = this;
    if (end - start !== lastBytes.length) return false;
    let at = 0;
    while (at < lastBytes.length && bytes[start + at] === lastBytes[at]) at++;
    return at === lastBytes.length;
  }

  private keyOf(sessionId: string): number {
    const known = this.keys.get(sessionId);
    if (known !== undefined) return known;
    const found = this.selectKey.get(sessionId);
    const key = found === undefined ? ++this.lastKey : Number(found);
    if (this.keys.size >= CACHE_ENTRIES) this.keys.clear();
    this.keys.set(sessionId, key);
    return key;
  }
}
