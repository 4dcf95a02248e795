/**
 * Runs in a reader's worker: runs the statements and renders the answer. The main thread only passes bytes on.
 *
 * The other half is `reader`. Only server-ts has this file: threads of Node share no objects. Over 250 lines because
 * every kind of read has its case here.
 */
import type { MessagePort } from 'node:worker_threads';
import { roomFor } from '../buffers.ts';
import { LIMITS, TUNING } from '../contract.ts';
import { NAME_KINDS } from '../field.ts';
import { isExport } from '../formats/index.ts';
import { retentionJson } from '../render/outcomes.ts';
import { renderSeries } from '../render/series.ts';
import { renderSnapshot, type SnapshotHead } from '../render/snapshot.ts';
import { renderCosts, renderCounts, renderStats, renderTools } from '../render/stats.ts';
import { renderAttachments, renderEvent, renderEventsAt, renderSession, renderSessions } from '../render.ts';
import type { Topic } from '../topics.ts';
import { findAttachmentFile, hasEvent, listAttachments } from './attachments.ts';
import type { NextStep } from './cluster-change.ts';
import { collectAfter } from './collect.ts';
import { type Connection, openConnection } from './connection.ts';
import { Deletions } from './deletions.ts';
import { loadRenderer, pageSnapshot, readPage } from './event-pages.ts';
import { Texts } from './event-rows.ts';
import { listEvents } from './event-search.ts';
import { Export } from './exports.ts';
import { storeCode } from './failure.ts';
import { readForwardBatch } from './forwarding.ts';
import { readFrames } from './frames.ts';
import { type EventFilter, Queries } from './query.ts';
import type { JsonRead, Read, ReaderData, ReadResult, Snapshot, SnapshotRead, StepRead } from './read.ts';
import { dueBound } from './retention.ts';
import { readSeries } from './series.ts';
import { getSession, listSessions, sessionRevision } from './session-query.ts';
import { dayCost, readSignals } from './signals.ts';
import { listByTime, timeCursorText } from './time-search.ts';
import { type StatsFilter, Totals } from './totals.ts';

/** Runs the thread: answers reads one after the other. */
export function runReader(port: MessagePort, data: ReaderData): void {
  let db: Connection | undefined;
  let queries: Queries | undefined;
  let texts: Texts | undefined;
  let deletions: Deletions | undefined;
  const run = (read: Read): void => {
    let result: ReadResult;
    try {
      // If this fails, the next read tries again.
      db ??= openConnection({ ...data, readonly: true });
      queries ??= new Queries(db, data.sessionTimeoutMinutes, data.waitingStaleHours);
      texts ??= new Texts(queries);
      texts.forget();
      deletions ??= new Deletions(db);
      const opened = { queries, texts, deletions };
      result = queries.consistently(() => answer(opened, read));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      result = { kind: 'failed', code: storeCode(error), reason };
    }
    const buffers = buffersOf(result);
    const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    port.postMessage(result, buffers);
    collectAfter(bytes);
  };
  port.on('message', (read: Read | 'close') => {
    if (read === 'close') {
      db?.close();
      port.close();
      return undefined;
    }
    const loading = 'format' in read ? loadRenderer(read.format) : undefined;
    if (loading === undefined) run(read);
    // A load failure is reported where the library is used.
    else void loading.catch(() => {}).then(() => run(read));
  });
}

/** The dependencies of a read. */
interface Opened {
  readonly queries: Queries;
  readonly texts: Texts;
  readonly deletions: Deletions;
}

function answer(opened: Opened, read: Read): ReadResult {
  const { queries, texts, deletions } = opened;
  switch (read.kind) {
    case 'snapshot':
      return { kind: 'snapshot', snapshot: snapshot(opened, read) };
    case 'export':
      return { kind: 'export', ...new Export(queries, texts, read).read() };
    case 'forward':
      return { kind: 'forward', ...readForwardBatch(queries, texts, read) };
    case 'next_step':
      return { kind: 'step', step: nextStep(opened, read) };
    case 'due': {
      const [lastId, most] = [queries.newestRevision(), TUNING.retention_step_events];
      return { kind: 'due', due: dueBound(deletions, { ...read.bounds, lastId, most }) };
    }
    case 'session_revisions': {
      const revisionOf = (id: string): number => sessionRevision(queries, id) || queries.lastDeletion();
      return { kind: 'revisions', revisions: Float64Array.from(read.ids, revisionOf) };
    }
    case 'events_after':
      return { kind: 'frames', ...readFrames(queries, read.filter) };
    case 'signals':
      return { kind: 'signals', signals: readSignals(queries, read.after, read.newest) };
    case 'day_cost':
      return { kind: 'day_cost', ...dayCost(queries, read.startS, read.endS) };
    case 'health':
      return {
        kind: 'health',
        epoch: queries.epoch(),
        sqliteVersion: queries.sqliteVersion(),
        journalMode: String(queries.pragma('journal_mode')),
        synchronous: queries.pragma('synchronous') === 2 ? 'full' : 'normal',
      };
    case 'check_table':
      return { kind: 'checked', found: queries.checkTable(read.place) };
    default: {
      const data = whole(opened, read);
      return { kind: 'json', bytes: data === undefined ? undefined : utf8(data) };
    }
  }
}

/** Returns the next change of a deletion; `undefined` when nothing is left. */
function nextStep({ queries, deletions }: Opened, { scope, block }: StepRead): NextStep | undefined {
  if (scope.kind === 'before') {
    const below = Math.min(scope.id, queries.newestRevision() + 1);
    const through = deletions.bound(below, TUNING.retention_step_events, null);
    if (through === undefined) return undefined;
    return { change: { kind: 'delete_events', through, asked: true }, isLast: false };
  }
  const { sessionId: session_id } = scope;
  const blocks = deletions.sessionBlocks(session_id, block);
  if (blocks === undefined) return undefined;
  const isLast = blocks.length < LIMITS.retention_step_blocks;
  const to = isLast ? {} : { to_block: blocks.at(-1)! };
  return { change: { kind: 'delete_session', session_id, from_block: block, ...to }, isLast };
}

function whole({ queries, texts }: Opened, read: JsonRead): string | Uint8Array | undefined {
  switch (read.kind) {
    case 'list_events':
      return readPage(queries, texts, read.format, read.filter).data;
    case 'list_by_time': {
      const { rows, next } = listByTime(queries, read.filter, read.cursor);
      return renderEventsAt(rows, next && timeCursorText(next));
    }
    case 'get_event': {
      const row = queries.getEvent(read.id);
      return row === undefined ? undefined : renderEvent(row);
    }
    case 'has_event':
      return hasEvent(queries, read.id) ? 'true' : undefined;
    case 'list_attachments':
      return hasEvent(queries, read.event)
        ? renderAttachments(listAttachments(queries, read.event))
        : undefined;
    case 'attachment_file': {
      const file = findAttachmentFile(queries, read.sha256);
      return file === undefined ? undefined : JSON.stringify(file);
    }
    case 'list_sessions': {
      const { rows, next } = listSessions(queries, read.filter);
      return renderSessions(rows, next);
    }
    case 'get_session': {
      const session = getSession(queries, read.id);
      if (session === undefined) return undefined;
      const { id: sessionId, limit } = read;
      return renderSession(
        session,
        listEvents(queries, { fields: {}, sessionId, order: 'desc', limit }).rows,
      );
    }
    case 'stats':
      return stats(queries, read.filter);
    case 'tools': {
      const totals = new Totals(queries, read.filter);
      return renderTools(totals.tools(), totals.toolAgents(), read.filter);
    }
    case 'costs': {
      const totals = new Totals(queries, read.filter);
      const [projects, models] = [totals.costs('project'), totals.costs('model')];
      return renderCosts(totals.costTimeline(read.limit), projects, models, read.filter);
    }
    case 'series':
      return renderSeries(readSeries(queries, texts, read.filter));
    case 'retention': {
      const [used, firstEventId] = queries.retention();
      return retentionJson(read.bounds, used, firstEventId);
    }
    case 'filter_options': {
      const totals = new Totals(queries, {});
      return renderCounts(
        NAME_KINDS.map((kind) => {
          return [kind, kind === 'agent_type' ? totals.agents() : totals.counts(kind)] as const;
        }),
      );
    }
  }
}

/** Reads revision and data in one transaction; no data when the client holds the revision. */
function snapshot(opened: Opened, read: SnapshotRead): Snapshot<Uint8Array> {
  const { queries } = opened;
  const { topic, epoch, known } = read;
  const isSession = topic.kind === 'session';
  const revision = isSession ? sessionRevision(queries, topic.sessionId) : queries.newestRevision();
  if (isSession && revision === 0) return undefined;
  if (known === 'any' || known.includes(String(revision))) return { revision, data: undefined };
  if (topic.kind === 'events') return eventsSnapshot(opened, read, revision);
  const data = whole(opened, stateOf(topic, read.limit)) as string | undefined;
  if (data === undefined) return undefined;
  return { revision, data: utf8(renderSnapshot({ topic: topic.name, epoch, revision }, data)) };
}

/** Returns the read of a topic's state. */
function stateOf(topic: Topic, limit: number): JsonRead {
  switch (topic.kind) {
    case 'events':
      return { kind: 'list_events', filter: { fields: {}, order: 'desc', limit }, format: 'json' };
    case 'stats':
      return { kind: 'stats', filter: {} };
    case 'sessions':
      return { kind: 'list_sessions', filter: { limit } };
    case 'session':
      return { kind: 'get_session', id: topic.sessionId, limit };
  }
}

/** Returns the events after a revision, or the whole state when that revision is unknown (rule SYN-07). */
function eventsSnapshot(
  { queries, texts }: Opened,
  read: SnapshotRead,
  revision: number,
): Snapshot<Uint8Array> {
  const { topic, epoch, format, limit, isReset } = read;
  const isUnknown = isReset || (read.since ?? 0) > revision || (read.since ?? 0) < queries.lastDeletion();
  const after = isUnknown ? undefined : read.since;
  const filter: EventFilter = { fields: {}, after, order: 'desc', limit };
  const head = (isMore: boolean): SnapshotHead => {
    const since = isMore ? undefined : after;
    return {
      topic: topic.name,
      epoch,
      revision,
      since,
      isReset: read.since !== undefined && since === undefined,
    };
  };
  if (isExport(format)) {
    const isMore = after !== undefined && queries.countSince(after, revision, limit + 1) > limit;
    const common = { format, filter, left: limit, newest: revision, isFirst: true, head: head(isMore) };
    const { bytes, next } = new Export(queries, texts, { kind: 'export', ...common }).read();
    return { revision, data: bytes, next };
  }
  // With more than a page of new events, the rows read are the newest page.
  const page = readPage(queries, texts, format, filter);
  return { revision, data: utf8(pageSnapshot(format, head(page.more), page.data)) };
}

function stats(queries: Queries, filter: StatsFilter): string {
  const totals = new Totals(queries, filter);
  return renderStats({
    totals: totals.totals(),
    sessions: totals.sessionTotals(),
    tools: totals.calls(),
    agents: totals.agents(),
    models: totals.counts('model'),
    eventTypes: totals.counts('event_type'),
    branches: totals.counts('branch'),
    range: filter,
  });
}

/** Returns bytes in memory of their own, which can be transferred to the main thread. */
function utf8(text: string | Uint8Array): Uint8Array {
  if (typeof text !== 'string') return text;
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(roomFor(length));
  bytes.write(text, 0, 'utf8');
  return bytes.subarray(0, length);
}

function buffersOf(result: ReadResult): ArrayBuffer[] {
  switch (result.kind) {
    case 'json':
      return result.bytes === undefined ? [] : [result.bytes.buffer as ArrayBuffer];
    case 'snapshot':
      return result.snapshot?.data === undefined ? [] : [result.snapshot.data.buffer as ArrayBuffer];
    case 'export':
      return [result.bytes.buffer as ArrayBuffer];
    case 'forward':
      return [result.body.buffer as ArrayBuffer, result.ids.buffer as ArrayBuffer];
    case 'revisions':
      return [result.revisions.buffer as ArrayBuffer];
    case 'frames':
      return [result.bytes, result.ids, result.ends].map((view) => view.buffer as ArrayBuffer);
    default:
      return [];
  }
}
