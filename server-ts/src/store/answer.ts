/**
 * From a read to its answer: statements run, rows rendered, on whatever thread asks.
 *
 * Called on a reader's thread (`reader-thread`) and, for a few of the newest events, on the main one (`newest`). Only
 * this side has this file: threads of Node share nothing.
 */
import { VOCABULARY } from '../contract.ts';
import {
  renderCosts,
  renderCounts,
  renderEvent,
  renderEvents,
  renderSession,
  renderSessions,
  renderSnapshot,
  renderStats,
  renderTools,
} from '../render.ts';
import type { Topic } from '../topics.ts';
import type { EventFilter, Queries } from './query.ts';
import type { JsonRead, Snapshot, SnapshotRead } from './reader.ts';
import { type StatsFilter, Totals } from './totals.ts';

/** JSON text; nothing where there is no such row. */
export function json(queries: Queries, read: JsonRead): string | undefined {
  switch (read.kind) {
    case 'list_events': {
      const { rows, more } = queries.listEvents(read.filter);
      return renderEvents(rows, more ? rows.at(-1)![0] : null);
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
      const filter: EventFilter = { names: {}, sessionId: read.id, order: 'desc', limit: read.limit };
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
        VOCABULARY.name_kinds.map((kind) => {
          return [kind, kind === 'agent_type' ? totals.agents() : totals.counts(kind)] as const;
        }),
      );
    }
  }
}

/** Revision and data of one moment; no data where the revision is known. */
export function snapshot(queries: Queries, read: SnapshotRead): Snapshot<string> {
  const { topic, known } = read;
  const isSession = topic.kind === 'session';
  const revision = isSession ? queries.sessionRevision(topic.sessionId) : queries.newestRevision();
  if (isSession && revision === 0) return undefined;
  if (known === 'any' || known.includes(String(revision))) return { revision, json: undefined };
  const text =
    topic.kind === 'events' ? eventsSince(queries, read, revision) : state(queries, read, revision);
  return text === undefined ? undefined : { revision, json: text };
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
      return { kind: 'list_events', filter: { names: {}, order: 'desc', limit } };
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
  const { rows, more } = queries.listEvents({ names: {}, after: since, order: 'desc', limit });
  if (more) return state(queries, read, revision, true);
  return renderSnapshot({ topic: topic.name, epoch, revision, since, data: renderEvents(rows, null) });
}

function stats(queries: Queries, filter: StatsFilter): string {
  const totals = new Totals(queries, filter);
  return renderStats({
    totals: totals.totals(),
    sessions: totals.sessionTotals(),
    tools: totals.counts('tool_name'),
    agents: totals.agents(),
    models: totals.counts('model'),
    eventTypes: totals.counts('event_type'),
    branches: totals.counts('branch'),
    since: filter.since,
  });
}
