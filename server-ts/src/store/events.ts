/**
 * Stores a group of requests in one transaction: finds duplicates, assigns ids and updates sums (rules ING-07, STO-07
 * and STO-08).
 *
 * Belongs to the writer's thread. A duplicate changes nothing: the writer tries its `event_id` first, and only a new
 * one leads to names, sessions or statistics. After a rollback every cache is dropped and read again.
 *
 * Over 250 lines because one file describes how an event changes all tables.
 */
import { LIMITS, TUNING, VOCABULARY } from '../contract.ts';
import { EventTimes } from '../event-time.ts';
import {
  FIELD,
  FIELD_SPECS,
  type FieldName,
  type FieldSpec,
  INT_WIDTH,
  NAME_KINDS,
  NUMBER_WIDTH,
  TRUNCATED,
  WAIT,
  WHOLE,
} from '../field.ts';
import { measure, noSums } from '../figure.ts';
import { type Counts, computedNanos, type Prices } from '../prices.ts';
import { QUERIES } from '../queries.ts';
import { originalBytes } from '../truncate.ts';
import { DISMISSAL, NO_CHANGE, WAIT_CHANGES } from '../waits.ts';
import type { Attached } from './attachments.ts';
import { type ClusterChange, storeBounds } from './cluster-change.ts';
import { type Connection, inOrder, Numbered, type Statement, withSmallCache } from './connection.ts';
import { Deletions, type Step } from './deletions.ts';
import { EventBlocks } from './event-blocks.ts';
import { EventInsert, placeOf } from './event-insert.ts';
import { EventKeys } from './event-keys.ts';
import { LastTime } from './last-time.ts';
import { Names, type NamesOfKind } from './names.ts';
import { type SessionDelta, SessionDeltas } from './sessions.ts';
import { EVERY_EVENT, quarterOf, StatsDeltas } from './stats.ts';
import { bytesAt, readUuid, rowsOf, type Submission, textAt, UUID_BYTES, UUID_LENGTH } from './submission.ts';
import { Tariffs } from './tariffs.ts';
import { SessionWaits } from './waits.ts';
import { packText } from './whole-texts.ts';

export interface Stored {
  /** For every event of every job, in order: its id, or 0 for a duplicate. */
  readonly ids: Float64Array;
  readonly stored: number;
  readonly newest: number;
}

const SESSION_END = VOCABULARY.event_types.indexOf('session_end');
/** Sources whose events are history only when a server forwarded them late (rule TIM-03). */
const LIVE_SOURCES = (['hook', 'otel'] as const).map((name) => VOCABULARY.sources.indexOf(name));
/** Sources whose events arrive late (rule SES-02). */
const LATE_SOURCES = (['otel', 'import'] as const).map((name) => VOCABULARY.sources.indexOf(name));
const PLAN_STEP = VOCABULARY.event_types.indexOf('plan_step');
const SUCCESS_STATUS = VOCABULARY.statuses.indexOf('success');
const NO_METADATA = '{}';

/** The columns of the numbers that a computed cost needs. */
const COLUMN = {
  cost: FIELD.cost_usd.column,
  input: FIELD.tokens_in.column,
  output: FIELD.tokens_out.column,
  cacheRead: FIELD.cache_read_tokens.column,
  cacheWrite: FIELD.cache_write_tokens.column,
  cacheWrite1h: FIELD.cache_write_1h_tokens.column,
} as const;

/** A field and the position of its parameter. */
interface Bound {
  readonly field: FieldSpec;
  readonly at: number;
}

/** A field whose column holds a name id, and its cached names. */
interface NameColumn extends Bound {
  readonly names: NamesOfKind;
  /** Name ids of the words of a choice, by index; read again after a rollback. */
  words: (number | undefined)[];
  /** The name id of the current event; 0 when it has none. */
  id: number;
}

const isNumber = ({ kind }: FieldSpec): boolean =>
  kind === 'integer' || kind === 'dollars' || kind === 'timestamp';
const boundOf = (field: FieldSpec): Bound => ({ field, at: placeOf(field.sqlColumn) });
const NUMBERS = FIELD_SPECS.filter(isNumber).map(boundOf);
/** Texts that are stored unchanged; other texts have columns of their own kind. */
const TEXTS = FIELD_SPECS.filter(
  ({ name, kind, isDictionary }) =>
    kind === 'text' && !isDictionary && name !== 'session_id' && name !== 'event_id',
).map(boundOf);
const AT = {
  id: placeOf('id'),
  createdAt: placeOf('created_at'),
  history: placeOf('history'),
  late: placeOf('late'),
  timeShift: placeOf('time_shift'),
  truncated: placeOf('payload_truncated'),
  metadataBytes: placeOf('metadata_bytes'),
  computedCost: placeOf('computed_cost_nanos'),
  session: placeOf(FIELD.session_id.sqlColumn),
  eventId: placeOf(FIELD.event_id.sqlColumn),
  metadata: placeOf(FIELD.metadata.sqlColumn),
} as const;

export class EventWriter {
  private readonly db: Connection;
  private readonly tariffs: Tariffs;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;
  private readonly insert: EventInsert;
  private readonly insertWholeText: Numbered;
  private readonly updateNothing: Statement;
  private readonly selectLastEventId: Statement;
  private readonly updateLastDeletionId: Numbered;
  private readonly upsertClusterSequence: Numbered;
  private readonly upsertClusterRetention: Numbered;
  private readonly deletions: Deletions;
  private readonly keys: EventKeys;
  private readonly blocks: EventBlocks;
  private readonly names: Names;
  private readonly sessions: SessionDeltas;
  private readonly waits: SessionWaits;
  private readonly stats: StatsDeltas;
  private readonly lastTime: LastTime;
  private ignoredTimes = 0;
  /** The figures of the current event. */
  private readonly figures = noSums();
  private readonly uuid = Buffer.alloc(UUID_BYTES);
  private readonly columns: readonly NameColumn[];
  /** The columns that sessions or the statistics use. */
  private readonly agentType: NameColumn;
  private readonly toolName: NameColumn;
  private readonly project: NameColumn;
  private readonly branch: NameColumn;
  private readonly model: NameColumn;
  private lastId: number;
  /** Whether caches may hold values that were rolled back. */
  private isStale = false;

  /** Creates a writer that computes costs with these prices. */
  constructor(db: Connection, prices?: Prices) {
    this.db = db;
    this.tariffs = new Tariffs(prices);
    const prepare = (sql: string): Statement => db.prepare<unknown[]>(inOrder(sql));
    this.begin = prepare('BEGIN IMMEDIATE');
    this.commit = prepare('COMMIT');
    this.rollback = prepare('ROLLBACK');
    this.insert = new EventInsert(db);
    this.insertWholeText = new Numbered(db, QUERIES.insertWholeText);
    this.updateNothing = prepare(QUERIES.updateNothing);
    this.selectLastEventId = prepare(QUERIES.selectLastEventId).pluck() as Statement;
    this.updateLastDeletionId = new Numbered(db, QUERIES.updateLastDeletionId);
    this.upsertClusterSequence = new Numbered(db, QUERIES.upsertClusterSequence);
    this.upsertClusterRetention = new Numbered(db, QUERIES.upsertClusterRetention);
    this.deletions = new Deletions(db);
    this.keys = new EventKeys(db);
    this.blocks = new EventBlocks(db);
    this.names = new Names(db);
    const columnOf = (name: FieldName): NameColumn => {
      return { ...boundOf(FIELD[name]), names: this.names.of(name), words: [], id: 0 };
    };
    this.columns = NAME_KINDS.map(columnOf);
    const known = (name: FieldName): NameColumn => this.columns.find((one) => one.field.name === name)!;
    this.agentType = known('agent_type');
    this.toolName = known('tool_name');
    this.project = known('project');
    this.branch = known('branch');
    this.model = known('model');
    this.sessions = new SessionDeltas(db);
    this.waits = new SessionWaits(db);
    this.stats = new StatsDeltas(db);
    this.lastTime = new LastTime(db);
    this.lastId = Number(this.selectLastEventId.get());
  }

  /** Loads the state before the first group, so that the group does not wait for it. */
  load(): void {
    withSmallCache(this.db, () => this.keys.load());
  }

  /** The newest id ever assigned. */
  get newest(): number {
    return this.isStale ? Number(this.selectLastEventId.get()) : this.lastId;
  }

  /** Returns how many stored events have a client's time that does not count, since the last call (rule TIM-01). */
  takeIgnoredTimes(): number {
    const count = this.ignoredTimes;
    this.ignoredTimes = 0;
    return count;
  }

  /** Stores a group completely or not at all; `now` is in Unix milliseconds. Throws SQLite's errors. */
  insertGroup(jobs: readonly Submission[], now: number): Stored {
    return this.inTransaction(() => this.insertJobs(jobs, now, undefined));
  }

  /**
   * Stores messages of a stream, one event each, under their own ids and times, and then makes their change (rules CLU-05
   * and CLU-11). `sequence` is the newest one of the group, and `attach` stores the row of an attachment. Throws SQLite's errors.
   */
  applyGroup(
    job: Submission | undefined,
    sequences: Float64Array,
    times: Float64Array,
    change: ClusterChange | undefined,
    sequence: number,
    attach: (change: ClusterChange) => Attached | undefined,
  ): Stored & { readonly step: Step | undefined; readonly attached: Attached | undefined } {
    return this.inTransaction(() => {
      const ids = new Float64Array(times.length);
      let stored = 0;
      for (let start = 0, end = 0; start < times.length; start = end) {
        while (end < times.length && times[end] === times[start]) end++;
        const part = rowsOf(job!, start, end);
        const run = this.insertJobs([part], times[start]!, sequences.subarray(start, end));
        ids.set(run.ids, start);
        stored += run.stored;
      }
      const step = change === undefined ? undefined : this.makeChange(change);
      const attached = change && attach(change);
      if (step !== undefined) this.takeId(sequence);
      this.upsertClusterSequence.run(sequence);
      return { ids, stored, newest: this.lastId, step, attached };
    });
  }

  /**
   * Runs a deletion in one transaction. If it deletes something, it takes an id that no event gets, so that every
   * revision rises (rule RET-05). Returns what `remove` found, and that id. Throws SQLite's errors.
   */
  delete<T>(remove: () => T | undefined): readonly [T, number] | undefined {
    return this.inTransaction(() => {
      const deleted = remove();
      if (deleted === undefined) return undefined;
      const id = this.lastId + 1;
      this.takeId(id);
      return [deleted, id];
    });
  }

  /** Turns the overwriting of deleted data on or off (rule RET-07). */
  overwrite(isPrivate: boolean): void {
    this.deletions.overwrite(isPrivate);
  }

  /** Tries to write a transaction; throws SQLite's errors. */
  probe(): void {
    this.inTransaction(() => {
      for (const step of [1, -1]) this.updateNothing.run(step);
    });
  }

  /** Makes a change of the stream; `undefined` when it deletes nothing. */
  private makeChange(change: ClusterChange): Step | undefined {
    switch (change.kind) {
      case 'delete_events': {
        const through = Math.min(change.through, this.lastId);
        return (this.deletions.firstEventId() ?? Number.POSITIVE_INFINITY) <= through
          ? this.deletions.deleteEvents(
              this.deletions.oldestOf(through, LIMITS.max_integer - 1),
              change.asked,
            )
          : undefined;
      }
      case 'delete_session':
        return this.deletions.deleteSessionBlocks(change.session_id, change.from_block, change.to_block);
      case 'retain':
        storeBounds(this.upsertClusterRetention, change);
        return undefined;
      case 'attach':
        return undefined;
    }
  }

  /** Gives a deletion this id, which is then the newest one. */
  private takeId(id: number): void {
    this.keys.load();
    this.keys.settle(0, id);
    this.updateLastDeletionId.run(id);
    // Their rows may be deleted.
    this.blocks.forget();
    this.sessions.forget();
    this.lastTime.forget();
    this.names.forget();
    for (const column of this.columns) column.words = [];
    this.lastId = id;
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
      // After some errors SQLite has already rolled back.
      if (this.db.inTransaction) this.rollback.run();
      throw error;
    }
  }

  /** Drops every number that a transaction without a commit may have assigned. */
  private reload(): void {
    this.keys.forget();
    this.blocks.forget();
    this.stats.forget();
    this.lastTime.forget();
    this.ignoredTimes = 0;
    this.names.forget();
    for (const column of this.columns) column.words = [];
    this.sessions.forget();
    this.lastId = Number(this.selectLastEventId.get());
    this.isStale = false;
  }

  /** Inserts events with the ids that follow the newest one, or with `ownIds`. */
  private insertJobs(jobs: readonly Submission[], now: number, ownIds: Float64Array | undefined): Stored {
    let total = 0;
    for (const job of jobs) total += job.count;
    const ids = new Float64Array(total);
    let next = this.lastId + 1;
    let row = 0;
    let stored = 0;
    for (const job of jobs) {
      for (let index = 0; index < job.count; index++) {
        if (ownIds !== undefined) next = ownIds[row]!;
        if (this.insertOne(job, index, next, now)) {
          ids[row] = next++;
          stored++;
        }
        row++;
      }
    }
    if (stored > 0) {
      this.blocks.flush();
      this.sessions.write();
      this.stats.write();
      const last = ownIds === undefined ? next - 1 : ids.reduce((most, id) => Math.max(most, id), 0);
      this.keys.settle(stored, last);
      this.lastId = last;
    }
    return { ids, stored, newest: this.lastId };
  }

  /** Writes the event under this id if it is new; returns whether it is. */
  private insertOne(job: Submission, index: number, id: number, now: number): boolean {
    const { ints, numbers } = job;
    const int = index * INT_WIDTH;
    const number = index * NUMBER_WIDTH;

    const at = int + FIELD.event_id.column;
    const eventId = this.eventId(job, ints[at]!, ints[at + 1]!);
    if (eventId !== null && !this.accept(eventId, job, int)) return false;

    const { columns } = this;
    const { values } = this.insert;
    const agentType = this.nameId(this.agentType, job, int + this.agentType.field.column);
    for (const column of columns) {
      const id = column.names.ofAgent(this.nameId(column, job, int + column.field.column), agentType);
      column.id = id;
      values[column.at] = id === 0 ? null : id;
    }
    for (const { field, at: place } of NUMBERS) {
      const value = numbers[number + field.column]!;
      values[place] = Number.isNaN(value) ? null : value;
    }
    for (const { field, at: place } of TEXTS) values[place] = textIn(job, int + field.column);

    const { figures, stats } = this;
    const computed = this.computedNanos(job, int, number);
    values[AT.computedCost] = Number.isNaN(computed) ? null : computed;
    measure(figures, ints, int, numbers, number, computed);

    const session = this.session(job, int + FIELD.session_id.column, agentType, id);
    this.sessions.add(session, figures);
    const source = ints[int + FIELD.source.column]!;
    const times = new EventTimes(
      numbers[number + FIELD.client_timestamp.column]!,
      numbers[number + FIELD.arrived_at.column]!,
      now,
    );
    const time = times.time();
    const isHistory = times.isHistory(LIVE_SOURCES.includes(source));
    const isLate = this.lastTime.add(time);
    if (times.isIgnored()) this.ignoredTimes++;
    session.lastEventId = id;
    const wait = ints[int + WAIT]!;
    session.addTime(time, isHistory ? null : now, wait !== DISMISSAL);
    if (wait !== DISMISSAL) {
      const isEnd = ints[int + FIELD.event_type.column] === SESSION_END;
      if (isEnd || !LATE_SOURCES.includes(source))
        session.addEnd({ endedAt: isEnd ? time : null, isHistory });
    }
    if (this.project.id !== 0) session.project = this.project.id;
    if (this.branch.id !== 0) session.branch = this.branch.id;
    if (this.model.id !== 0) session.model = this.model.id;

    if (wait !== NO_CHANGE) {
      const agentId = textIn(job, int + FIELD.agent_id.column) ?? '';
      this.waits.change(session.key, agentId, WAIT_CHANGES[wait]!, id, now);
    }

    const rows = stats.rowsOf(quarterOf(time), agentType);
    stats.add(rows, EVERY_EVENT, figures);
    const isStep = ints[int + FIELD.event_type.column] === PLAN_STEP;
    this.blocks.beginRow(id, agentType, session.key);
    this.blocks.addTime(time, isLate);
    for (const column of columns) {
      // The agent's sums already count every event.
      if (column.id === 0 || column === this.agentType) continue;
      if (column === this.toolName) stats.addTool(rows, column.id, figures, isStep);
      else stats.add(rows, column.id, figures);
      this.blocks.addName(column.id);
    }

    values[AT.id] = id;
    values[AT.createdAt] = now;
    values[AT.history] = Number(isHistory);
    values[AT.late] = Number(isLate);
    values[AT.timeShift] = time - now;
    values[AT.truncated] = ints[int + TRUNCATED]!;
    values[AT.session] = session.key;
    values[AT.eventId] = eventId;
    const metadataAt = int + FIELD.metadata.column;
    const metadata = textIn(job, metadataAt) ?? NO_METADATA;
    // The range is one of bytes, as the bound is.
    const isLong = ints[metadataAt + 1]! - ints[metadataAt]! > TUNING.inline_metadata_bytes;
    values[AT.metadata] = isLong ? null : metadata;
    values[AT.metadataBytes] = ints[int + TRUNCATED] === 1 ? originalBytes(metadata) : null;
    this.insert.run();
    if (isLong) this.insert.text(id, metadata);
    if (ints[int + WHOLE] !== ints[int + WHOLE + 1]) this.keepWhole(job, int + WHOLE, id);
    return true;
  }

  /** Stores the whole text of a summary, whose range is in two columns (rule MET-04). */
  private keepWhole(job: Submission, column: number, id: number): void {
    const frame = packText(bytesAt(job, job.ints[column]!, job.ints[column + 1]!));
    if (frame !== undefined) this.insertWholeText.run(id, frame);
  }

  /**
   * Accepts the id of an event; returns whether it is stored. A hook that telemetry may report too is the only event
   * with an id and an effect on waits. It takes a second id, by which a repeated hook is recognised. After the
   * telemetry it is stored under that id, as a step that counts no call, no prompt and no error (rule HOK-04).
   */
  private accept(eventId: Buffer | string, { ints }: Submission, int: number): boolean {
    const isNew = this.keys.insert(eventId);
    if (ints[int + WAIT] === NO_CHANGE || typeof eventId === 'string') return isNew;
    eventId[UUID_BYTES - 1]! ^= 1;
    const isFirst = this.keys.insert(eventId);
    if (isNew) {
      eventId[UUID_BYTES - 1]! ^= 1;
      return true;
    }
    ints[int + FIELD.event_type.column] = PLAN_STEP;
    ints[int + FIELD.status.column] = SUCCESS_STATUS;
    return isFirst;
  }

  /**
   * Returns the computed cost of the current event, NaN when it has none (rule PRI-04). Its row begins at `int` and
   * `number`.
   */
  private computedNanos(job: Submission, int: number, number: number): number {
    const { numbers } = job;
    if (!Number.isNaN(numbers[number + COLUMN.cost]!)) return Number.NaN;
    const counts = pricedCounts(numbers, number);
    const model = this.model.id === 0 || counts.every(isZero) ? null : textIn(job, int + FIELD.model.column);
    if (model === null) return Number.NaN;
    const tariff = this.tariffs.of(model, textIn(job, int + FIELD.service_tier.column) ?? undefined);
    return tariff === undefined ? Number.NaN : computedNanos(tariff, counts);
  }

  /** Returns the current name id of a column; 0 when the event lacks the field. */
  private nameId({ field, names, words }: NameColumn, job: Submission, at: number): number {
    if (field.kind === 'text') return this.name(names, job, at);
    const index = job.ints[at]!;
    const known = words[index];
    if (known !== undefined) return known;
    const id = names.id(field.words[index]!.toString());
    words[index] = id;
    return id;
  }

  /** Returns the id of the name whose range is in two columns; 0 when it is absent. */
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

  /** Returns a canonical lower-case UUID as its 16 bytes, any other value as its text, an absent one as null. */
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

/** Returns the token counts that have prices. Writes of one hour are a part of all writes (rule EVT-06). */
function pricedCounts(numbers: Float64Array, number: number): Counts {
  const writes = numbers[number + COLUMN.cacheWrite]!;
  const writes1h = Math.min(numbers[number + COLUMN.cacheWrite1h]!, writes);
  return [
    numbers[number + COLUMN.input]!,
    numbers[number + COLUMN.output]!,
    numbers[number + COLUMN.cacheRead]!,
    writes - writes1h,
    writes1h,
  ];
}

function isZero(count: number): boolean {
  return count === 0;
}

/** Returns the text whose range is in two columns; null when it is absent. */
function textIn(job: Submission, column: number): string | null {
  const start = job.ints[column]!;
  const end = job.ints[column + 1]!;
  return start === end ? null : textAt(job, start, end);
}
