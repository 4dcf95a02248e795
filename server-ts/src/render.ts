/**
 * Renders rows as JSON text, members in the order of the columns (rules GET-02, MET-01 and SES-03).
 *
 * Pure. Strings are escaped as `JSON.stringify` does; metadata is inserted as sent. Runs in the readers' threads;
 * knows nothing of HTTP or of SQL.
 */
import { FIELDS_FILE } from './contract.ts';
import { FIELD_SPECS, type FieldName } from './field.ts';
import { printNumber } from './number.ts';

/** A value of SQLite. */
type Value = string | number | null;

/** A row of the view `events_readable`, its columns in their order. */
export type EventRow = readonly Value[];

/** The positions of its columns by name. */
export const ROW = Object.fromEntries(FIELDS_FILE.row.map((name, index) => [name, index])) as Readonly<
  Record<FieldName | keyof typeof FIELDS_FILE.server_columns, number>
>;

/** Prints the value of a column. */
type Print = (value: Value) => string;

/** The JSON member of each column: the text before its value, and the function that prints the value. */
const MEMBERS = FIELDS_FILE.row.map((name, index) => ({
  before: `${index === 0 ? '{' : ','}"${name}":`,
  print: printOf(name),
}));

/** A row of `select_session.sql`, by column. */
export type SessionRow = Readonly<Record<string, string | number | null>>;

/** Any flat row whose columns become members unchanged. */
export type FlatRow = Readonly<Record<string, string | number | null>>;

export function renderEvent(row: EventRow): string {
  let json = '';
  for (let at = 0; at < MEMBERS.length; at++) {
    const { before, print } = MEMBERS[at]!;
    json += before + print(row[at]!);
  }
  return `${json}}`;
}

/** Returns the id of a row. */
export function idOf(row: EventRow): number {
  return Number(row[ROW.id]);
}

/** A place in a list that is ordered by a time, and by a number where times are equal. */
export interface Place {
  /** Unix milliseconds. */
  readonly time: number;
  /** The id of an event, or of the newest event of a session. */
  readonly number: number;
}

/** Reads the text of a cursor. */
export function parsePlace(text: string): Place | undefined {
  const [, time, number] = /^([0-9]{1,16})\.([0-9]{1,16})$/.exec(text) ?? [];
  return time === undefined || number === undefined
    ? undefined
    : { time: Number(time), number: Number(number) };
}

/** Returns the text of a cursor. */
export function placeText({ time, number }: Place): string {
  return `${time}.${number}`;
}

/** How far a page came (rule GET-12). */
export interface Reached {
  /** The cursor of the next page; null at the end. */
  readonly next: number | null;
  /** The id up to which the page has every matching row. */
  readonly scannedTo: number;
}

export function renderEvents(rows: readonly EventRow[], reached: Reached): string {
  return `{"events":[${rows.map(renderEvent).join(',')}]${renderReached(reached)}`;
}

/** Renders a page of events with an opaque cursor, which is absent at the end (rule GET-15). */
export function renderEventsAt(rows: readonly EventRow[], cursor: string | undefined): string {
  return `{"events":[${rows.map(renderEvent).join(',')}]${renderCursor(cursor)}`;
}

/** Renders a page of sessions; `next` is absent at the end (rule SES-01). */
export function renderSessions(rows: readonly SessionRow[], next: Place | undefined): string {
  return `{"sessions":[${rows.map(sessionObject).join(',')}]${renderCursor(next && placeText(next))}`;
}

function renderCursor(cursor: string | undefined): string {
  const json = scalar(cursor ?? null);
  return `,"next":${json},"scanned_to":${json}}`;
}

function renderReached({ next, scannedTo }: Reached): string {
  return `,"next":${next},"scanned_to":${scannedTo}}`;
}

export function renderSession(session: SessionRow, rows: readonly EventRow[]): string {
  return `{"session":${sessionObject(session)},"events":[${rows.map(renderEvent).join(',')}]}`;
}

/** Renders the attachments of an event (rule ATT-06). */
export function renderAttachments(rows: readonly FlatRow[]): string {
  return `{"attachments":${renderList(rows)}}`;
}

/** Renders a session. SQLite has no booleans, so `waiting_stale` holds 1 for true. */
function sessionObject(row: SessionRow): string {
  return renderMembers(
    members(row).map(([name, json]) => [name, name === 'waiting_stale' ? String(json === '1') : json]),
  );
}

/** Renders a row in one line; line breaks between the tokens of the metadata become spaces (rule MET-03). */
export function renderEventLine(row: EventRow): string {
  return renderEvent(row).replace(/[\r\n]/g, ' ');
}

/** Renders an `event` frame of the stream. */
export function renderFrame(row: EventRow): string {
  return `id: ${idOf(row)}\ndata: {"type":"event","payload":${renderEventLine(row)}}\n\n`;
}

/** A member of an object: its name, and its value as JSON text. */
export type Member = readonly [name: string, json: string];

export function renderMembers(list: readonly Member[]): string {
  return `{${list.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

export function members(row: FlatRow): Member[] {
  return Object.entries(row).map(([name, value]) => [name, scalar(value)]);
}

/** Renders an object with the row's columns, in their order. */
function renderFlat(row: FlatRow): string {
  return renderMembers(members(row));
}

export function renderList(rows: readonly FlatRow[]): string {
  return `[${rows.map(renderFlat).join(',')}]`;
}

function printOf(name: string): Print {
  if (name === 'metadata') return String;
  if (name === 'payload_truncated' || name === 'history') return (value) => String(value === 1);
  const isTime =
    name === 'created_at' ||
    name === 'time' ||
    FIELD_SPECS.find((field) => field.name === name)?.kind === 'timestamp';
  return isTime ? stamp : scalar;
}

export function scalar(value: Value): string {
  return typeof value === 'number' ? number(value) : text(value);
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** Prints a time, which needs no escapes. */
function stamp(value: Value): string {
  return value === null ? 'null' : `"${value}"`;
}

function number(value: number | null): string {
  return value === null ? 'null' : printNumber(value);
}
