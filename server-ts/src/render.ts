/**
 * Rows to JSON text, members in the order of the contract (rules GET-02, SES-03, STA-01 to STA-03).
 *
 * Pure. Strings are escaped as `JSON.stringify` does it; metadata is spliced in as it was sent.
 * Runs in the readers' threads; knows nothing of HTTP or of SQL.
 */
import { printNumber } from './number.ts';
import { formatTimestamp } from './timestamp.ts';

/** A row of the view `events_readable`, its columns in their order. */
export type EventRow = readonly [
  id: number,
  eventId: string | null,
  schemaVersion: number,
  sessionId: string,
  agentType: string,
  eventType: string,
  toolName: string | null,
  status: string,
  tokensIn: number,
  tokensOut: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  branch: string | null,
  project: string | null,
  durationMs: number | null,
  model: string | null,
  costUsd: number | null,
  source: string,
  clientTimestamp: string | null,
  createdAt: string,
  payloadTruncated: number,
  metadata: string,
];

/** A row of `select_session.sql`, by column. */
export type SessionRow = Readonly<Record<string, string | number | null>>;

/** Any flat row whose columns become members as they stand. */
export type FlatRow = Readonly<Record<string, string | number | null>>;

export function renderEvent(row: EventRow): string {
  return (
    `{"id":${row[0]},"event_id":${text(row[1])},"schema_version":${row[2]},"session_id":${text(row[3])},` +
    `"agent_type":${text(row[4])},"event_type":"${row[5]}","tool_name":${text(row[6])},"status":"${row[7]}",` +
    `"tokens_in":${row[8]},"tokens_out":${row[9]},"cache_read_tokens":${row[10]},` +
    `"cache_write_tokens":${row[11]},"branch":${text(row[12])},"project":${text(row[13])},` +
    `"duration_ms":${row[14]},"model":${text(row[15])},"cost_usd":${number(row[16])},"source":"${row[17]}",` +
    `"client_timestamp":${stamp(row[18])},"created_at":"${row[19]}",` +
    `"payload_truncated":${row[20] === 1},"metadata":${row[21]}}`
  );
}

export function renderEvents(rows: readonly EventRow[], next: number | null): string {
  return `{"events":[${rows.map(renderEvent).join(',')}],"next":${next}}`;
}

export function renderSessions(rows: readonly SessionRow[], next: number | null): string {
  return `{"sessions":[${rows.map(renderFlat).join(',')}],"next":${next}}`;
}

export function renderSession(session: SessionRow, rows: readonly EventRow[]): string {
  return `{"session":${renderFlat(session)},"events":[${rows.map(renderEvent).join(',')}]}`;
}

export interface StatsRows {
  readonly totals: FlatRow;
  readonly sessions: FlatRow;
  readonly tools: readonly FlatRow[];
  readonly agents: readonly FlatRow[];
  readonly models: readonly FlatRow[];
  readonly eventTypes: readonly FlatRow[];
  readonly branches: readonly FlatRow[];
  /** The beginning of the hour that was used, in Unix milliseconds (rule STA-05). */
  readonly since: number | undefined;
}

export function renderStats(rows: StatsRows): string {
  const figure = (row: FlatRow, name: string): Member => [name, scalar(row[name] ?? null)];
  return renderMembers([
    figure(rows.totals, 'total_events'),
    figure(rows.sessions, 'active_sessions'),
    figure(rows.sessions, 'total_sessions'),
    figure(rows.totals, 'total_tokens_in'),
    figure(rows.totals, 'total_tokens_out'),
    figure(rows.totals, 'total_cost_usd'),
    figure(rows.totals, 'total_errors'),
    ['tools', renderList(rows.tools)],
    ['agents', renderList(rows.agents)],
    ['models', renderList(rows.models)],
    ['event_types', renderList(rows.eventTypes)],
    ['branches', renderList(rows.branches)],
    ...used(rows.since),
  ]);
}

/** `name_id` joins a tool with the agents that called it, and is not shown. */
export function renderTools(
  tools: readonly FlatRow[],
  agents: readonly FlatRow[],
  since: number | undefined,
): string {
  const agentsOf = Map.groupBy(agents, (row) => row.name_id);
  const list = tools.map(({ name_id, ...tool }) => {
    const callers = (agentsOf.get(name_id) ?? []).map(({ name_id: _, ...caller }) => caller);
    return renderMembers([...members(tool), ['by_agent', renderList(callers)]]);
  });
  return renderMembers([['tools', `[${list.join(',')}]`], ...used(since)]);
}

export function renderCosts(
  timeline: readonly FlatRow[],
  projects: readonly FlatRow[],
  models: readonly FlatRow[],
  since: number | undefined,
): string {
  return renderMembers([
    ['timeline', renderList(timeline.map(({ hour: _, ...bucket }) => bucket))],
    ['by_project', renderList(projects)],
    ['by_model', renderList(models)],
    ...used(since),
  ]);
}

export function renderCounts(lists: readonly (readonly [kind: string, rows: readonly FlatRow[]])[]): string {
  return renderMembers(lists.map(([kind, rows]) => [kind, renderList(rows)]));
}

export interface SnapshotParts {
  readonly topic: string;
  readonly epoch: string;
  readonly revision: number;
  /** The revision that the data comes behind, where it is not the whole state. */
  readonly since?: number;
  /** Whether it is the whole state although that was not asked for. */
  readonly isReset?: boolean;
  /** JSON text. */
  readonly data: string;
}

/** The state of a topic, or what came since (rules SYN-05 and SYN-07). */
export function renderSnapshot({ topic, epoch, revision, since, isReset, data }: SnapshotParts): string {
  return renderMembers([
    ['topic', text(topic)],
    ['epoch', text(epoch)],
    ['revision', `"${revision}"`],
    ...(since === undefined ? [] : [['since', `"${since}"`] as const]),
    ...(isReset ? [['reset', 'true'] as const] : []),
    ['data', data],
  ]);
}

/** An `event` frame of the stream; a line break inside the metadata would end its line (rule MET-03). */
export function renderFrame(row: EventRow): string {
  const json = renderEvent(row).replace(/[\r\n]/g, ' ');
  return `id: ${row[0]}\ndata: {"type":"event","payload":${json}}\n\n`;
}

/** A member of an object: its name, and its value as JSON text. */
type Member = readonly [name: string, json: string];

function used(since: number | undefined): Member[] {
  return since === undefined ? [] : [['since', `"${formatTimestamp(since)}"`]];
}

function renderMembers(list: readonly Member[]): string {
  return `{${list.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

function members(row: FlatRow): Member[] {
  return Object.entries(row).map(([name, value]) => [name, scalar(value)]);
}

/** An object with the row's columns, in their order. */
function renderFlat(row: FlatRow): string {
  return renderMembers(members(row));
}

function renderList(rows: readonly FlatRow[]): string {
  return `[${rows.map(renderFlat).join(',')}]`;
}

function scalar(value: string | number | null): string {
  return typeof value === 'number' ? number(value) : text(value);
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** Times need no escapes. */
function stamp(value: string | null): string {
  return value === null ? 'null' : `"${value}"`;
}

function number(value: number | null): string {
  return value === null ? 'null' : printNumber(value);
}
