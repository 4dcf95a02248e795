/**
 * Turns the lines of one transcript into events, as `contract/transcripts` defines it.
 *
 * Pure. Invariants: it holds a bounded number of calls without a result, and one answer. It refuses no line: a line
 * that it cannot read is reported.
 */
import type { OutgoingEvent } from '@twin-ingest/client';
import { digestOf, hashedId } from './event-id.ts';
import type { Line } from './lines.ts';
import type { Entry, Mapping, MatchRule } from './mapping.ts';
import { shortened } from './shorten.ts';
import {
  fieldsOf,
  fieldValue,
  firstAt,
  holdsAll,
  holdsAny,
  isObject,
  type JsonObject,
  lastSegment,
  metadataOf,
  parseObject,
  textOf,
  valueAt,
} from './values.ts';

/** An event, and the reports of hooks or telemetry that would be the same. */
export interface Found {
  readonly event: OutgoingEvent & { readonly event_id: string };
  readonly match: MatchRule | undefined;
}

/** `damaged`: not a JSON object, not UTF-8, or too long. `unknown`: the mapping lacks the name. `lost`: without a session. */
export type ProblemKind = 'damaged' | 'unknown' | 'lost';

export interface Reporter {
  problem(kind: ProblemKind, line: number, name: string): void;
  /** Returns whether the line with this id is a copy of another session's. */
  isCopy(line_key: string): boolean;
}

/** The begin of a call, or of a request that a later line refers to. */
interface Begun {
  readonly time: number;
  readonly fields: JsonObject;
  readonly metadata: JsonObject;
}

/** Largest number of calls without a result, and of times that later lines refer to. */
const MOST_BEGUN = 1_000;
/** Largest metadata of a call without a result. */
const BEGUN_BYTES = 4_096;

export class Transcript {
  readonly #mapping: Mapping;
  readonly #path: string;
  readonly #reporter: Reporter;
  readonly #context = new Map<string, unknown>();
  readonly #seen = new Set<string>();
  readonly #calls = new Map<string, Begun>();
  readonly #times = new Map<string, number>();
  #gathered: { readonly value: string; readonly begin: number; found: Found } | null = null;
  /** Rules of the entries whose duration begins at an earlier line. */
  readonly #sinces: readonly NonNullable<Entry['since']>[];
  #isStarted = false;
  #last: At | null = null;

  constructor(mapping: Mapping, path: string, reporter: Reporter) {
    this.#mapping = mapping;
    this.#path = path;
    this.#reporter = reporter;
    this.#sinces = Object.values(mapping.lines).flatMap((entries) =>
      entries === 'noise' ? [] : entries.flatMap(({ since }) => since ?? []),
    );
  }

  /** The session of the file; `undefined` before its first line. */
  get session_id(): string | undefined {
    return textOf(this.#context.get('session_id'));
  }

  /** The event that ends the session; `null` for a file that is a part of a session. */
  get endOfSession(): Found | null {
    const { end } = this.#mapping;
    return this.#last === null
      ? null
      : this.#found(end, this.#last, {}, this.#idOf('end', this.#last.identity));
  }

  /** Returns the events that are complete with this line. */
  read({ number, text, fault }: Line): Found[] {
    if (text?.trim() === '') return [];
    const line = text === null ? null : parseObject(text);
    if (text === null || line === null) {
      this.#reporter.problem('damaged', number, fault ?? 'not a JSON object');
      return [];
    }
    const key = textOf(valueAt(line, this.#mapping.line_key ?? ''));
    if (key !== undefined && this.#reporter.isCopy(key)) return [];
    const { name, entries } = this.#entriesOf(line);
    if (entries === undefined) {
      this.#reporter.problem('unknown', number, name);
      return [];
    }
    this.#seen.add(name);
    this.#remember(name, line);
    const time = Date.parse(textOf(valueAt(line, this.#mapping.time_key)) ?? '');
    if (entries === 'noise') return [];
    if (this.session_id === undefined) {
      this.#reporter.problem('lost', number, name);
      return [];
    }
    const at = { line, name, number, time, identity: key ?? digestOf(text) };
    return [...this.#started(at), ...entries.flatMap((entry) => this.#apply(entry, at))];
  }

  /** Returns the last event. */
  end(): Found[] {
    const rest = this.#gathered;
    this.#gathered = null;
    return rest === null ? [] : [rest.found];
  }

  #entriesOf(line: JsonObject): { name: string; entries: readonly Entry[] | 'noise' | undefined } {
    const { name_keys, lines } = this.#mapping;
    const parts = name_keys.flatMap((path) => textOf(valueAt(line, path)) ?? []);
    const name = parts.join('/').slice(0, 100);
    for (let length = parts.length; length > 0; length--) {
      const known = parts.slice(0, length).join('/');
      if (Object.hasOwn(lines, known)) return { name: known, entries: lines[known] };
    }
    return { name: name === '' ? 'without a name' : name, entries: undefined };
  }

  /** Keeps the values that later lines need. */
  #remember(name: string, line: JsonObject): void {
    for (const { field, key, take, lines, first } of this.#mapping.context) {
      if ((lines?.includes(name) ?? true) === false || (first === true && this.#context.has(field))) continue;
      const value = valueAt(line, key);
      const kept = fieldValue(field, take === 'last_segment' ? lastSegment(value) : value);
      if (kept !== undefined) this.#context.set(field, kept);
    }
    for (const since of this.#sinces) {
      const reference = since.name === name ? textOf(valueAt(line, since.key)) : undefined;
      const time = Date.parse(textOf(valueAt(line, this.#mapping.time_key)) ?? '');
      if (reference !== undefined && !Number.isNaN(time)) put(this.#times, reference, time);
    }
  }

  #started(at: At): Found[] {
    const { start } = this.#mapping;
    if (holdsAny(at.line, start.unless)) return [];
    this.#last = at;
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [this.#found(start, at, at.line, this.#idOf('start', ''))];
  }

  #apply(entry: Entry, at: At): Found[] {
    if (entry.unless_seen !== undefined && this.#seen.has(entry.unless_seen)) return [];
    if (entry.each === undefined) return this.#applyTo(entry, at, at.line, '');
    const items = [valueAt(at.line, entry.each)].flat().filter(isObject);
    return items.flatMap((each, index) => this.#applyTo(entry, at, { ...at.line, each }, `/${index}`));
  }

  #applyTo(entry: Entry, at: At, line: JsonObject, place: string): Found[] {
    if (!holdsAll(line, entry.when) || holdsAny(line, entry.unless)) return [];
    if (entry.call === 'begin') {
      const key = textOf(valueAt(line, entry.key!));
      const metadata = shortened(metadataOf(line, entry), BEGUN_BYTES);
      if (key !== undefined)
        put(this.#calls, key, { time: at.time, fields: fieldsOf(line, entry.fields), metadata });
      return [];
    }
    const subject = entry.same === undefined ? undefined : textOf(firstAt(line, entry.same.keys));
    const id =
      subject === undefined
        ? this.#idOf(`line ${entry.event_type}`, `${at.identity}${place}`)
        : this.#idOf(entry.same!.kind, subject);
    const found = this.#found(entry, at, line, id);
    const value = entry.gather === undefined ? undefined : textOf(valueAt(line, entry.gather));
    return value === undefined ? [found] : this.#gather(value, entry, at, line, found);
  }

  /** Holds an answer until a line of another one. */
  #gather(value: string, entry: Entry, at: At, line: JsonObject, found: Found): Found[] {
    const before = this.#gathered;
    const isSame = before?.value === value;
    const reference = entry.since === undefined ? undefined : textOf(valueAt(line, entry.since.reference));
    const begin = isSame ? before.begin : (this.#times.get(reference ?? '') ?? Number.NaN);
    const duration_ms = at.time - begin;
    const event = duration_ms >= 0 ? { ...found.event, duration_ms } : found.event;
    this.#gathered = { value, begin, found: { ...found, event } };
    return before === null || isSame ? [] : [before.found];
  }

  #idOf(kind: string, value: string): string {
    return hashedId(this.#mapping.agent_type, this.session_id!, kind, value);
  }

  #found(entry: Entry, at: At, line: JsonObject, event_id: string): Found {
    const { agent_type } = this.#mapping;
    const fields = fieldsOf(line, entry.fields);
    const key = entry.call === 'end' ? String(fields.call_id) : '';
    const begun = this.#calls.get(key);
    this.#calls.delete(key);
    const ran = at.time - (begun?.time ?? Number.NaN);
    const failed = entry.status !== undefined && holdsAll(line, { [entry.status.key]: entry.status.error });
    const metadata = {
      transcript_path: this.#path,
      line: at.number,
      ...begun?.metadata,
      ...metadataOf(line, entry),
    };
    const event = {
      ...(ran >= 0 ? { duration_ms: ran } : {}),
      ...begun?.fields,
      ...Object.fromEntries(this.#context),
      ...fields,
      session_id: this.session_id!,
      agent_type,
      event_id,
      event_type: entry.event_type!,
      ...(failed ? { status: 'error' as const } : {}),
      source: 'import' as const,
      source_event: at.name,
      ...(Number.isNaN(at.time) ? {} : { client_timestamp: new Date(at.time).toISOString() }),
      metadata: shortened(metadata),
    };
    return { event, match: entry.match };
  }
}

/** A line and its place. */
interface At {
  readonly line: JsonObject;
  readonly name: string;
  readonly number: number;
  /** Unix milliseconds; `NaN` for a line without a time. */
  readonly time: number;
  readonly identity: string;
}

/** Puts an entry; drops the oldest one above the bound. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_BEGUN) map.delete(map.keys().next().value!);
}
