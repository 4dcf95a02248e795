/**
 * One group of requests into the tables, in one transaction: duplicates told apart, ids given out, events,
 * sessions, statistics, hours and topics written (rules ING-07, STO-07, STO-08).
 *
 * Belongs to the writer's thread. A duplicate changes nothing: its `event_id` is tried first, and only a new
 * one leads to names, sessions or statistics. After a rollback every cache is dropped and read again.
 */
import { LIMITS, QUERIES, VOCABULARY } from '../contract.ts';
import { INT, INT_WIDTH, NUMBER, NUMBER_WIDTH } from '../event.ts';
import { type Connection, inOrder, type Statement } from './connection.ts';
import { type Job, readUuid, textAt, UUID_BYTES, UUID_LENGTH } from './job.ts';
import { Names, type NamesOfKind } from './names.ts';
import { type SessionDelta, Sessions } from './sessions.ts';
import { EVERY_EVENT, Stats, StatsEvent } from './stats.ts';

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
export class Events {
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly insertKey: Statement;
  private readonly insertEvent: Statement;
  private readonly upsertHour: Statement;
  private readonly updateTopics: Statement;
  private readonly updateLastEventId: Statement;
  private readonly selectLastEventId: Statement;
  private readonly names: Names;
  private readonly sessions: Sessions;
  private readonly stats: Stats;
  private readonly figures = new StatsEvent();
  private readonly uuid = Buffer.alloc(UUID_BYTES);
  /** Numbers of the vocabulary's words, by their index; read again after a rollback. */
  private words: Record<WordKind, (number | undefined)[]> = noWords();
  private readonly agentTypes: NamesOfKind;
  private readonly toolNames: NamesOfKind;
  private readonly branches: NamesOfKind;
  private readonly projects: NamesOfKind;
  private readonly models: NamesOfKind;
  private lastId: number;

  constructor(db: Connection) {
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.begin = prepare('BEGIN IMMEDIATE');
    this.commit = prepare('COMMIT');
    this.rollback = prepare('ROLLBACK');
    this.insertKey = prepare(QUERIES.insertEventKey);
    this.insertEvent = prepare(QUERIES.insertEvent);
    this.upsertHour = prepare(QUERIES.upsertHour);
    this.updateTopics = prepare(QUERIES.updateTopics);
    this.updateLastEventId = prepare(QUERIES.updateLastEventId);
    this.selectLastEventId = prepare(QUERIES.selectLastEventId).pluck() as Statement;
    this.names = new Names(db);
    this.agentTypes = this.names.of('agent_type');
    this.toolNames = this.names.of('tool_name');
    this.branches = this.names.of('branch');
    this.projects = this.names.of('project');
    this.models = this.names.of('model');
    this.sessions = new Sessions(db);
    this.stats = new Stats(db);
    this.lastId = Number(this.selectLastEventId.get());
  }

  /** The newest id that was ever given out. */
  get newest(): number {
    return this.lastId;
  }

  /** Stores a group or none of it; `now` in Unix milliseconds. Throws what SQLite says. */
  insertGroup(jobs: readonly Job[], now: number): Stored {
    const inTransaction = { db: false };
    try {
      this.begin.run();
      inTransaction.db = true;
      const result = this.insertJobs(jobs, now);
      this.commit.run();
      return result;
    } catch (error) {
      this.recover(inTransaction.db);
      throw error;
    }
  }

  /** Whether a transaction can be written; throws what SQLite says. */
  probe(): void {
    try {
      this.begin.run();
      this.updateLastEventId.run(this.lastId);
      this.commit.run();
    } catch (error) {
      this.recover(true);
      throw error;
    }
  }

  private recover(began: boolean): void {
    this.stats.forget();
    this.words = noWords();
    if (began) {
      // SQLite has rolled back by itself after some errors; a second time is then an error without meaning.
      try {
        this.rollback.run();
      } catch {}
    }
    this.names.forget();
    this.sessions.forget();
    this.lastId = Number(this.selectLastEventId.get());
  }

  private insertJobs(jobs: readonly Job[], now: number): Stored {
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
      this.sessions.write(now);
      this.stats.write(hour);
      this.upsertHour.run(hour, before + 1, next - 1);
      this.updateTopics.run();
      this.updateLastEventId.run(next - 1);
      this.lastId = next - 1;
    }
    return { ids, stored, newest: this.lastId };
  }

  /** Whether the event is new; if so it is written under this id. */
  private insertOne(job: Job, index: number, id: number, now: number, hour: number): boolean {
    const { ints, numbers } = job;
    const int = index * INT_WIDTH;
    const number = index * NUMBER_WIDTH;

    const eventId = this.eventId(job, ints[int + INT.eventId]!, ints[int + INT.eventId + 1]!);
    if (eventId !== null && this.insertKey.run(eventId).changes === 0) return false;

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

    const tokensIn = numbers[number + NUMBER.tokensIn]!;
    const tokensOut = numbers[number + NUMBER.tokensOut]!;
    const cacheReadTokens = numbers[number + NUMBER.cacheReadTokens]!;
    const cacheWriteTokens = numbers[number + NUMBER.cacheWriteTokens]!;
    const durationMs = numbers[number + NUMBER.durationMs]!;
    const costNanos = numbers[number + NUMBER.costNanos]!;
    const clientTimestamp = numbers[number + NUMBER.clientTimestamp]!;

    const session = this.session(job, int + INT.sessionId, agentType);
    const sums =
      Math.max(session.tokensIn, session.tokensOut, session.cacheReadTokens, session.cacheWriteTokens) +
      Math.max(tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens);
    const cost = Number.isNaN(costNanos) ? 0 : costNanos;
    if (sums > LIMITS.max_integer || session.costNanos + cost > LIMITS.max_integer) {
      this.sessions.writeOne(session, now);
    }
    session.lastEventId = id;
    session.ended = eventType === SESSION_END;
    if (project !== 0) session.project = project;
    if (branch !== 0) session.branch = branch;
    if (model !== 0) session.model = model;
    session.eventCount++;
    if (status === ERROR_STATUS) session.errorCount++;
    session.tokensIn += tokensIn;
    session.tokensOut += tokensOut;
    session.cacheReadTokens += cacheReadTokens;
    session.cacheWriteTokens += cacheWriteTokens;
    session.costNanos += cost;

    const { figures, stats } = this;
    figures.isError = status === ERROR_STATUS;
    figures.durationMs = durationMs;
    figures.tokensIn = tokensIn;
    figures.tokensOut = tokensOut;
    figures.costNanos = costNanos;
    const rows = stats.ofAgent(agentType);
    stats.add(rows, EVERY_EVENT, agentType, figures, hour);
    stats.add(rows, eventTypeId, agentType, figures, hour);
    stats.add(rows, statusId, agentType, figures, hour);
    stats.add(rows, sourceId, agentType, figures, hour);
    if (toolName !== 0) stats.add(rows, toolName, agentType, figures, hour);
    if (branch !== 0) stats.add(rows, branch, agentType, figures, hour);
    if (project !== 0) stats.add(rows, project, agentType, figures, hour);
    if (model !== 0) stats.add(rows, model, agentType, figures, hour);

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
      tokensIn,
      tokensOut,
      cacheReadTokens,
      cacheWriteTokens,
      Number.isNaN(durationMs) ? null : durationMs,
      Number.isNaN(costNanos) ? null : costNanos,
      Number.isNaN(clientTimestamp) ? null : clientTimestamp,
      eventId,
      metadataStart === metadataEnd ? NO_METADATA : textAt(job, metadataStart, metadataEnd),
    );
    return true;
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
  private name(names: NamesOfKind, job: Job, column: number): number {
    const start = job.ints[column]!;
    const end = job.ints[column + 1]!;
    if (start === end) return 0;
    const behind = job.body.length;
    if (start < behind) return names.idOfBytes(job.body, start, end);
    return names.idOfBytes(job.extra!, start - behind, end - behind);
  }

  private session(job: Job, column: number, agentType: number): SessionDelta {
    const start = job.ints[column]!;
    const end = job.ints[column + 1]!;
    const behind = job.body.length;
    if (start < behind) return this.sessions.delta(job.body, start, end, agentType);
    return this.sessions.delta(job.extra!, start - behind, end - behind, agentType);
  }

  /** A canonical lower-case UUID as its 16 bytes, anything else as its text, nothing as null. */
  private eventId(job: Job, start: number, end: number): Buffer | string | null {
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
