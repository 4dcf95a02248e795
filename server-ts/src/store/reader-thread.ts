/**
 * Runs in a reader's worker: runs the statements and renders the answer, so that the main thread only passes bytes on.
 *
 * The other half is `reader`. Only this side has this file: threads of Node share nothing.
 */
import type { MessagePort } from 'node:worker_threads';
import { NAME_KINDS } from '../field.ts';
import { renderCosts, renderCounts, renderStats, renderTools } from '../render/stats.ts';
import {
  idOf,
  ROW,
  renderEvent,
  renderEvents,
  renderFrame,
  renderSession,
  renderSessions,
  renderSnapshot,
} from '../render.ts';
import type { Topic } from '../topics.ts';
import { type Connection, openConnection } from './connection.ts';
import { storeCode } from './failure.ts';
import { type EventFilter, Queries } from './query.ts';
import type { JsonRead, Read, ReaderData, ReadResult, Snapshot, SnapshotRead } from './read.ts';
import { type StatsFilter, Totals } from './totals.ts';

/** Frames of one page stop after this many bytes. */
const PAGE_BYTES = 1 << 20;

/** The thread: answers reads one after the other. */
export function runReader(port: MessagePort, data: ReaderData): void {
  let db: Connection | undefined;
  let queries: Queries | undefined;
  port.on('message', (read: Read | 'close') => {
    if (read === 'close') {
      db?.close();
      port.close();
      return;
    }
    let result: ReadResult;
    try {
      // The next read tries again where this fails.
      db ??= openConnection({ ...data, readonly: true });
      queries ??= new Queries(db, data.sessionTimeoutMinutes, data.waitingStaleHours);
      const opened = queries;
      result = opened.consistently(() => answer(opened, read));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      result = { kind: 'failed', code: storeCode(error), reason };
    }
    port.postMessage(result, buffersOf(result));
  });
}

function answer(queries: Queries, read: Read): ReadResult {
  switch (read.kind) {
    case 'snapshot':
      return { kind: 'snapshot', snapshot: snapshot(queries, read) };
    case 'session_revisions':
      return {
        kind: 'revisions',
        revisions: Float64Array.from(read.ids, (id) => queries.sessionRevision(id)),
      };
    case 'events_after':
      return frames(queries, read.filter);
    case 'health':
      return {
        kind: 'health',
        epoch: queries.epoch(),
        sqliteVersion: queries.sqliteVersion(),
        journalMode: String(queries.pragma('journal_mode')),
        synchronous: queries.pragma('synchronous') === 2 ? 'full' : 'normal',
      };
    case 'quick_check':
      return { kind: 'checked', found: queries.quickCheck() };
    default: {
      const text = json(queries, read);
      return { kind: 'json', bytes: text === undefined ? undefined : utf8(text) };
    }
  }
}

function json(queries: Queries, read: JsonRead): string | undefined {
  switch (read.kind) {
    case 'list_events': {
      const { rows, more } = queries.listEvents(read.filter);
      return renderEvents(rows, more ? idOf(rows.at(-1)!) : null);
    }
    case 'get_event': {
      const row = queries.getEvent(read.id);
      return row === undefined ? undefined : renderEvent(row);
    }
    case 'list_sessions': {
      const { rows, more } = queries.listSessions(read.filter);
      return renderSessions(rows, more ? Number(rows.at(-1)!.last_event_id) : null);
    }
    case 'get_session': {
      const session = queries.getSession(read.id);
      if (session === undefined) return undefined;
      const filter: EventFilter = { fields: {}, sessionId: read.id, order: 'desc', limit: read.limit };
      return renderSession(session, queries.listEvents(filter).rows);
    }
    case 'stats':
      return stats(queries, read.filter);
    case 'tools': {
      const totals = new Totals(queries, read.filter);
      return renderTools(totals.tools(), totals.toolAgents(), read.filter.since);
    }
    case 'costs': {
      const totals = new Totals(queries, read.filter);
      const [projects, models] = [totals.costs('project'), totals.costs('model')];
      return renderCosts(totals.costTimeline(read.limit), projects, models, read.filter.since);
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

/** Revision and data of one moment; no data where the revision is known. */
function snapshot(queries: Queries, read: SnapshotRead): Snapshot<Uint8Array> {
  const { topic, known } = read;
  const isSession = topic.kind === 'session';
  const revision = isSession ? queries.sessionRevision(topic.sessionId) : queries.newestRevision();
  if (isSession && revision === 0) return undefined;
  if (known === 'any' || known.includes(String(revision))) return { revision, json: undefined };
  const text =
    topic.kind === 'events' ? eventsSince(queries, read, revision) : state(queries, read, revision);
  return text === undefined ? undefined : { revision, json: utf8(text) };
}

function state(queries: Queries, read: SnapshotRead, revision: number, isReset = false): string | undefined {
  const data = json(queries, stateOf(read.topic, read.limit));
  if (data === undefined) return undefined;
  return renderSnapshot({ topic: read.topic.name, epoch: read.epoch, revision, isReset, data });
}

/** What a topic shows. */
function stateOf(topic: Topic, limit: number): JsonRead {
  switch (topic.kind) {
    case 'events':
      return { kind: 'list_events', filter: { fields: {}, order: 'desc', limit } };
    case 'stats':
      return { kind: 'stats', filter: {} };
    case 'sessions':
      return { kind: 'list_sessions', filter: { limit } };
    case 'session':
      return { kind: 'get_session', id: topic.sessionId, limit };
  }
}

/** The events above a revision, or all of it where they cannot be told apart from what the asker has (rule SYN-07). */
function eventsSince(queries: Queries, read: SnapshotRead, revision: number): string | undefined {
  const { topic, epoch, limit, since, isReset } = read;
  if (since === undefined) return state(queries, read, revision);
  if (isReset || since > revision) return state(queries, read, revision, true);
  const { rows, more } = queries.listEvents({ fields: {}, after: since, order: 'desc', limit });
  if (more) return state(queries, read, revision, true);
  return renderSnapshot({ topic: topic.name, epoch, revision, since, data: renderEvents(rows, null) });
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
    since: filter.since,
  });
}

/** As many rows as fit into a page, each rendered as a frame once, for whoever it is sent to. */
function frames(queries: Queries, filter: EventFilter): ReadResult {
  const ids: number[] = [];
  const ends: number[] = [];
  const names: [string, string, string][] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  let more = false;
  for (const row of queries.events(filter, filter.limit + 1)) {
    if (ids.length === filter.limit || length >= PAGE_BYTES) {
      more = true;
      break;
    }
    const chunk = Buffer.from(renderFrame(row));
    chunks.push(chunk);
    length += chunk.length;
    ids.push(idOf(row));
    ends.push(length);
    names.push([String(row[ROW.session_id]), String(row[ROW.agent_type]), String(row[ROW.event_type])]);
  }
  const bytes = Buffer.allocUnsafeSlow(length);
  chunks.reduce((at, chunk) => at + chunk.copy(bytes, at), 0);
  return { kind: 'frames', bytes, ids: Float64Array.from(ids), ends: Uint32Array.from(ends), names, more };
}

/** Text as bytes that own their memory, so that it can be handed to the main thread. */
function utf8(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 0, 'utf8');
  return bytes;
}

function buffersOf(result: ReadResult): ArrayBuffer[] {
  switch (result.kind) {
    case 'json':
      return result.bytes === undefined ? [] : [result.bytes.buffer as ArrayBuffer];
    case 'snapshot':
      return result.snapshot?.json === undefined ? [] : [result.snapshot.json.buffer as ArrayBuffer];
    case 'revisions':
      return [result.revisions.buffer as ArrayBuffer];
    case 'frames':
      return [result.bytes, result.ids, result.ends].map((view) => view.buffer as ArrayBuffer);
    default:
      return [];
  }
}
