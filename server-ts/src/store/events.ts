/**
 * Stores a group of requests in one transaction: finds duplicates, gives out ids and raises sums (rules ING-07, STO-07
 * and STO-08).
 *
 * Belongs to the writer's thread. A duplicate changes nothing: its `event_id` is tried first, and only a new
 * one leads to names, sessions or statistics. After a rollback every cache is dropped and read again.
 *
 * Over 250 lines because the way of one event through all tables is told in one place.
 */
import { QUERIES, VOCABULARY } from '../contract.ts';
import { INT, INT_WIDTH, NUMBER, NUMBER_WIDTH } from '../event.ts';
import { type Connection, inOrder, type Statement, withSmallCache } from './connection.ts';
import { EventBlocks } from './event-blocks.ts';
import { EventKeys } from './event-keys.ts';
import { Names, type NamesOfKind } from './names.ts';
import { type SessionDelta, SessionDeltas } from './sessions.ts';
import { EVERY_EVENT, Figures, StatsDeltas, type StatsOfAgent } from './stats.ts';
import { readUuid, type Submission, textAt, UUID_BYTES, UUID_LENGTH } from './submission.ts';

export interface Stored {
  /** Of every event of every job, in order: its id, or 0 for a duplicate. */
  readonly ids: Float64Array;
  readonly stored: number;
  readonly newest: number;
}

const HOUR_MS = 3_600_000;
const SESSION_END = VOCABULARY.event_types.indexOf('session_end');
const ERROR_STATUS = VOCABULARY.statuses.indexOf('error');
const NO_METADATA = '{}';
const WORDS = {
  event_type: VOCABULARY.event_types,
  status: VOCABULARY.statuses,
  source: VOCABULARY.sources,
} as const;
type WordKind = keyof typeof WORDS;
const noWords = (): Record<WordKind, (number | undefined)[]> => ({ event_type: [], status: [], source: [] });
export class EventWriter {
  private readonly db: Connection;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly insertEvent: Statement;
  private readonly upsertHour: Statement;
  private readonly updateNothing: Statement;
  private readonly selectLastEventId: Statement;
  private readonly keys: EventKeys;
  private readonly blocks: EventBlocks;
  private readonly names: Names;
  private readonly sessions: SessionDeltas;
  private readonly stats: StatsDeltas;
  private readonly figures = new Figures();
  private readonly uuid = Buffer.alloc(UUID_BYTES);
  /** Numbers of the vocabulary's words, by their index; read again after a rollback. */
  private words: Record<WordKind, (number | undefined)[]> = noWords();
  private readonly agentTypes: NamesOfKind;
  private readonly toolNames: NamesOfKind;
  private readonly branches: NamesOfKind;
  private readonly projects: NamesOfKind;
  private readonly models: NamesOfKind;
  private lastId: number;
  /** What is remembered may have been rolled back. */
  private isStale = false;

  constructor(db: Connection) {
    this.db = db;
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.begin = prepare('BEGIN IMMEDIATE');
    this.commit = prepare('COMMIT');
    this.rollback = prepare('ROLLBACK');
    this.insertEvent = prepare(QUERIES.insertEvent);
    this.upsertHour = prepare(QUERIES.upsertHour);
    this.updateNothing = prepare(QUERIES.updateNothing);
    this.selectLastEventId = prepare(QUERIES.selectLastEventId).pluck() as Statement;
    this.keys = new EventKeys(db);
    this.blocks = new EventBlocks(db);
    this.names = new Names(db);
    this.agentTypes = this.names.of('agent_type');
    this.toolNames = this.names.of('tool_name');
    this.branches = this.names.of('branch');
    this.projects = this.names.of('project');
    this.models = this.names.of('model');
    this.sessions = new SessionDeltas(db);
    this.stats = new StatsDeltas(db);
    this.lastId = Number(this.selectLastEventId.get());
  }

  /** Reads what has to be known before the first group, so that it need not wait for it. */
  load(): void {
    withSmallCache(this.db, () => this.keys.load());
  }

  /** The newest id that was ever given out. */
  get newest(): number {
    return this.lastId;
  }

  /** Stores a group or none of it; `now` in Unix milliseconds. Throws what SQLite says. */
  insertGroup(jobs: readonly Submission[], now: number): Stored {
    return this.inTransaction(() => this.insertJobs(jobs, now));
  }

  /** Whether a transaction can be written; throws what SQLite says. */
  probe(): void {
    this.inTransaction(() => this.updateNothing.run());
  }

  private inTransaction<T>(work: () => T): T {
    try {
      this.begin.run();
      if (this.isStale) this.reload();
      const result = work();
      this.commit.run();
      return result;
    } catch (error) {
      this.isStale = true;
      // After some errors SQLite has rolled back by itself.
      if (this.db.inTransaction) this.rollback.run();
      throw error;
    }
  }

  /** Forgets every number that a transaction without a commit may have handed out. */
  private reload(): void {
    this.keys.forget();
    this.blocks.forget();
    this.stats.forget();
    this.names.forget();
    this.words = noWords();
    this.sessions.forget();
    this.lastId = Number(this.selectLastEventId.get());
    this.isStale = false;
  }

  private insertJobs(jobs: readonly Submission[], now: number): Stored {
    const hour = Math.floor(now / HOUR_MS) * (HOUR_MS / 1000);
    let total = 0;
    for (const job of jobs) total += job.count;
    const ids = new Float64Array(total);
    const before = this.lastId;
    let next = before + 1;
    let row = 0;
    for (const job of jobs) {
      for (let index = 0; index < job.count; index++) {
        if (this.insertOne(job, index, next, now, hour)) ids[row] = next++;
        row++;
      }
    }
    const stored = next - 1 - before;
    if (stored > 0) {
      this.blocks.flush();
      this.sessions.write(now);
      this.stats.write(hour);
      this.upsertHour.run(hour, before + 1, next - 1);
      this.keys.settle(stored, next - 1);
      this.lastId = next - 1;
    }
    return { ids, stored, newest: this.lastId };
  }

  /** Whether the event is new; if so it is written under this id. */
  private insertOne(job: Submission, index: number, id: number, now: number, hour: number): boolean {
    const { ints, numbers } = job;
    const int = index * INT_WIDTH;
    const number = index * NUMBER_WIDTH;

    const eventId = this.eventId(job, ints[int + INT.eventId]!, ints[int + INT.eventId + 1]!);
    if (eventId !== null && !this.keys.insert(eventId)) return false;

    const eventType = ints[int + INT.eventType]!;
    const status = ints[int + INT.status]!;
    const eventTypeId = this.word('event_type', eventType);
    const statusId = this.word('status', status);
    const sourceId = this.word('source', ints[int + INT.source]!);
    const agentType = this.name(this.agentTypes, job, int + INT.agentType);
    const toolName = this.name(this.toolNames, job, int + INT.toolName);
    const branch = this.name(this.branches, job, int + INT.branch);
    const project = this.name(this.projects, job, int + INT.project);
    const model = this.name(this.models, job, int + INT.model);

    const { figures, stats } = this;
    figures.isError = status === ERROR_STATUS;
    figures.tokensIn = numbers[number + NUMBER.tokensIn]!;
    figures.tokensOut = numbers[number + NUMBER.tokensOut]!;
    figures.cacheReadTokens = numbers[number + NUMBER.cacheReadTokens]!;
    figures.cacheWriteTokens = numbers[number + NUMBER.cacheWriteTokens]!;
    figures.durationMs = numbers[number + NUMBER.durationMs]!;
    figures.costNanos = numbers[number + NUMBER.costNanos]!;
    const clientTimestamp = numbers[number + NUMBER.clientTimestamp]!;

    const session = this.session(job, int + INT.sessionId, agentType, id);
    this.sessions.add(session, figures, now);
    session.lastEventId = id;
    session.ended = eventType === SESSION_END;
    if (project !== 0) session.project = project;
    if (branch !== 0) session.branch = branch;
    if (model !== 0) session.model = model;

    const rows = stats.ofAgent(agentType);
    stats.add(rows, EVERY_EVENT, agentType, figures, hour);
    this.blocks.beginRow(id, agentType, session.key);
    this.count(rows, eventTypeId, agentType, hour);
    this.count(rows, statusId, agentType, hour);
    this.count(rows, sourceId, agentType, hour);
    if (toolName !== 0) this.count(rows, toolName, agentType, hour);
    if (branch !== 0) this.count(rows, branch, agentType, hour);
    if (project !== 0) this.count(rows, project, agentType, hour);
    if (model !== 0) this.count(rows, model, agentType, hour);

    const metadataStart = ints[int + INT.metadata]!;
    const metadataEnd = ints[int + INT.metadata + 1]!;
    this.insertEvent.run(
      id,
      now,
      session.key,
      agentType,
      eventTypeId,
      statusId,
      sourceId,
      toolName || null,
      branch || null,
      project || null,
      model || null,
      ints[int + INT.truncated]!,
      figures.tokensIn,
      figures.tokensOut,
      figures.cacheReadTokens,
      figures.cacheWriteTokens,
      Number.isNaN(figures.durationMs) ? null : figures.durationMs,
      Number.isNaN(figures.costNanos) ? null : figures.costNanos,
      Number.isNaN(clientTimestamp) ? null : clientTimestamp,
      eventId,
      metadataStart === metadataEnd ? NO_METADATA : textAt(job, metadataStart, metadataEnd),
    );
    return true;
  }

  /** Counts the event in hand under one of its names, and notes it for its block. */
  private count(rows: StatsOfAgent, name: number, agentType: number, hour: number): void {
    this.stats.add(rows, name, agentType, this.figures, hour);
    this.blocks.addName(name);
  }

  /** The number of a word of the vocabulary, which is inserted when the first event has it. */
  private word(kind: WordKind, index: number): number {
    const ids = this.words[kind];
    const known = ids[index];
    if (known !== undefined) return known;
    const id = this.names.of(kind).id(WORDS[kind][index]!);
    ids[index] = id;
    return id;
  }

  /** The number of the name whose range stands in two columns; 0 when it is absent. */
  private name(names: NamesOfKind, job: Submission, column: number): number {
    const start = job.ints[column]!;
    const end = job.ints[column + 1]!;
    if (start === end) return 0;
    const behind = job.body.length;
    if (start < behind) return names.idOfBytes(job.body, start, end);
    return names.idOfBytes(job.extra!, start - behind, end - behind);
  }

  private session(job: Submission, column: number, agentType: number, eventId: number): SessionDelta {
    const start = job.ints[column]!;
    const end = job.ints[column + 1]!;
    const behind = job.body.length;
    if (start < behind) return this.sessions.delta(job.body, start, end, agentType, eventId);
    return this.sessions.delta(job.extra!, start - behind, end - behind, agentType, eventId);
  }

  /** A canonical lower-case UUID as its 16 bytes, anything else as its text, nothing as null. */
  private eventId(job: Submission, start: number, end: number): Buffer | string | null {
    if (start === end) return null;
    const behind = job.body.length;
    const isUuid =
      end - start === UUID_LENGTH &&
      (start < behind
        ? readUuid(job.body, start, this.uuid)
        : readUuid(job.extra!, start - behind, this.uuid));
    if (isUuid) return this.uuid;
    return textAt(job, start, end);
  }
}
