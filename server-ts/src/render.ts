/**
 * Renders rows as JSON text, members in the order of the columns (rules GET-02, MET-01 and SES-03).
 *
 * Pure. Strings are escaped as `JSON.stringify` does it; metadata is spliced in as it was sent.
 * Runs in the readers' threads; knows nothing of HTTP or of SQL.
 */
import { printNumber } from './number.ts';

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
  return renderEventList(rows.map(renderEvent), next);
}

/** The same of events that are JSON text already. */
export function renderEventList(events: readonly string[], next: number | null): string {
  return `{"events":[${events.join(',')}],"next":${next}}`;
}

export function renderSessions(rows: readonly SessionRow[], next: number | null): string {
  return `{"sessions":[${rows.map(renderFlat).join(',')}],"next":${next}}`;
}

export function renderSession(session: SessionRow, rows: readonly EventRow[]): string {
  return `{"session":${renderFlat(session)},"events":[${rows.map(renderEvent).join(',')}]}`;
}

interface SnapshotParts {
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
export type Member = readonly [name: string, json: string];

export function renderMembers(list: readonly Member[]): string {
  return `{${list.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

export function members(row: FlatRow): Member[] {
  return Object.entries(row).map(([name, value]) => [name, scalar(value)]);
}

/** An object with the row's columns, in their order. */
function renderFlat(row: FlatRow): string {
  return renderMembers(members(row));
}

export function renderList(rows: readonly FlatRow[]): string {
  return `[${rows.map(renderFlat).join(',')}]`;
}

export function scalar(value: string | number | null): string {
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
