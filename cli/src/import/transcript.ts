/**
 * Turns the lines of one transcript into events by the mapping of its agent (contract/mapping.md).
 *
 * Pure. Invariants: it holds a bounded number of begins without an end, and one group. It refuses no line: a line
 * that it cannot read is reported.
 */
import type { EventType, OutgoingEvent } from '@twin-ingest/client';
import { applies } from '@twin-ingest/mapping/condition.ts';
import { Counters } from '@twin-ingest/mapping/counters.ts';
import { sameId } from '@twin-ingest/mapping/event-id.ts';
import type { FieldValue } from '@twin-ingest/mapping/field.ts';
import { ObjectSource, type Source, valueAt } from '@twin-ingest/mapping/path.ts';
import { isObject, type JsonObject } from '@twin-ingest/mapping/problems.ts';
import {
  countersOf,
  type Entry,
  type Interval,
  type Reported,
  type Rule,
  type Same,
  subjectOf,
} from '@twin-ingest/mapping/rule.ts';
import {
  type Context,
  computeValue,
  type FieldRule,
  fieldValueOf,
  putFields,
} from '@twin-ingest/mapping/value.ts';
import { digestOf } from './event-id.ts';
import type { Line } from './lines.ts';
import type { TranscriptMapping } from './mapping.ts';
import { shortened } from './shorten.ts';
import { joined, parseObject, textOf, timeOf } from './values.ts';

/** An event, and the reports of hooks or telemetry that would be the same. */
export interface Found {
  readonly event: OutgoingEvent & { readonly event_id: string };
  readonly reported: Reported | undefined;
}

/** `damaged`: not a JSON object, not UTF-8, or too long. `unknown`: the mapping lacks the name. `lost`: without a session. */
export type ProblemKind = 'damaged' | 'unknown' | 'lost';

export interface Reporter {
  problem(kind: ProblemKind, line: number, name: string): void;
  /** Returns whether the line with this id is a copy of another session's. */
  isCopy(line_key: string): boolean;
}

/** The begin of a call or a request. */
interface Begun {
  readonly time: number;
  readonly fields: ReadonlyMap<string, FieldValue>;
  readonly metadata: JsonObject;
}

/** Largest number of begins without an end. */
const MOST_BEGUN = 1_000;
/** Largest metadata of one of them. */
const BEGUN_BYTES = 4_096;

export class Transcript {
  readonly #mapping: TranscriptMapping;
  readonly #path: string;
  readonly #reporter: Reporter;
  readonly #kept = new Map<string, FieldValue>();
  readonly #seen = new Set<string>();
  readonly #begun = new Map<string, Begun>();
  readonly #counters = new Counters();
  #group: { readonly value: string; readonly begin: number; found: Found } | null = null;
  #isStarted = false;
  #last: At | null = null;

  constructor(mapping: TranscriptMapping, path: string, reporter: Reporter) {
    this.#mapping = mapping;
    this.#path = path;
    this.#reporter = reporter;
  }

  /** The session of the file; `undefined` before its first line. */
  get session_id(): string | undefined {
    return this.#kept.get('session_id') as string | undefined;
  }

  /** The event that ends the session; `null` for a file that is a part of a session. */
  get endOfSession(): Found | null {
    const at = this.#last;
    if (at === null) return null;
    const nothing = new ObjectSource({});
    return this.#found(this.#mapping.last, at, nothing, this.#idOf('end', at.identity));
  }

  /** Returns the events that are complete with this line. */
  read({ number, text, fault }: Line): Found[] {
    if (text?.trim() === '') return [];
    const line = text === null ? null : parseObject(text);
    if (text === null || line === null) {
      this.#reporter.problem('damaged', number, fault ?? 'not a JSON object');
      return [];
    }
    const source = new ObjectSource(line);
    const { id, time } = this.#mapping;
    const key = id === undefined ? undefined : textOf(valueAt(source, id));
    if (key !== undefined && this.#reporter.isCopy(key)) return [];
    const { name, entry } = this.#entryOf(source);
    if (entry === undefined) {
      this.#reporter.problem('unknown', number, name);
      return [];
    }
    this.#seen.add(name);
    const rules = entry === 'noise' ? [] : entry;
    this.#keep(this.#mapping.keep, source);
    for (const rule of rules) if (applies(rule.conditions, source)) this.#keep(rule.keep, source);
    if (entry === 'noise') return [];
    if (this.session_id === undefined) {
      this.#reporter.problem('lost', number, name);
      return [];
    }
    const at = { line, name, number, time: timeOf(valueAt(source, time)), identity: key ?? digestOf(text) };
    return [...this.#started(at, source), ...rules.flatMap((rule) => this.#apply(rule, at, source))];
  }

  /** Returns the last event. */
  end(): Found[] {
    const rest = this.#group;
    this.#group = null;
    return rest === null ? [] : [rest.found];
  }

  #entryOf(source: Source): { name: string; entry: Entry | undefined } {
    const { name: paths, records } = this.#mapping;
    const parts = paths.flatMap((path) => textOf(valueAt(source, path)) ?? []);
    const name = parts.join('/').slice(0, 100);
    for (let length = parts.length; length > 0; length--) {
      const known = parts.slice(0, length).join('/');
      const entry = records.get(known);
      if (entry !== undefined) return { name: known, entry };
    }
    return { name: name === '' ? 'without a name' : name, entry: undefined };
  }

  /** Keeps the values that later lines need. */
  #keep(rules: readonly FieldRule[], source: Source): void {
    for (const rule of rules) {
      if (rule.isOnce && this.#kept.has(rule.field.name)) continue;
      const value = fieldValueOf(rule, { source, digits: false });
      if (value !== undefined) this.#kept.set(rule.field.name, value);
    }
  }

  #started(at: At, source: Source): Found[] {
    const { first } = this.#mapping;
    if (!applies(first.conditions, source)) return [];
    this.#last = at;
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [this.#found(first, at, source, this.#idOf('start', ''))];
  }

  #apply(rule: Rule, at: At, source: Source): Found[] {
    if (rule.unlessSeen !== undefined && this.#seen.has(rule.unlessSeen)) return [];
    if (rule.each === undefined) return this.#applyTo(rule, at, source, '');
    const items = [valueAt(source, rule.each)].flat().filter(isObject);
    return items.flatMap((each, index) =>
      this.#applyTo(rule, at, new ObjectSource(at.line, each), `/${index}`),
    );
  }

  #applyTo(rule: Rule, at: At, source: Source, place: string): Found[] {
    if (!applies(rule.conditions, source)) return [];
    this.#counters.take(countersOf(rule), source);
    if (rule.begin !== undefined) this.#begin(rule, rule.begin, at, source);
    if (rule.eventType === undefined) return [];
    const subject = rule.same === undefined ? undefined : this.#subjectOf(rule.same, source);
    const id =
      subject === undefined
        ? this.#idOf(`line ${rule.eventType}`, `${at.identity}${place}`)
        : this.#idOf(rule.same!.kind, subject);
    const found = this.#found(rule, at, source, id);
    const value = rule.group === undefined ? undefined : textOf(valueAt(source, rule.group));
    return value === undefined ? [found] : this.#gather(value, rule, at, source, found);
  }

  #subjectOf(same: Same, source: Source): string | undefined {
    return same.counter === undefined ? subjectOf(same, source) : this.#counters.name(same.counter);
  }

  #begin(rule: Rule, interval: Interval, at: At, source: Source): void {
    const key = keyOf(interval, source);
    if (key === undefined) return;
    const metadata = shortened(this.#metadataOf(rule, source), BEGUN_BYTES);
    put(this.#begun, key, { time: at.time, fields: this.#fieldsOf(rule, source), metadata });
  }

  #begunOf({ end }: Rule, source: Source): Begun | undefined {
    const key = end === undefined ? undefined : keyOf(end, source);
    return key === undefined ? undefined : this.#begun.get(key);
  }

  /** Holds an event of a group until a line of another one. */
  #gather(value: string, rule: Rule, at: At, source: Source, found: Found): Found[] {
    const before = this.#group;
    const isSame = before?.value === value;
    const begin = isSame ? before.begin : (this.#begunOf(rule, source)?.time ?? Number.NaN);
    const duration_ms = at.time - begin;
    const event = duration_ms >= 0 ? { ...found.event, duration_ms } : found.event;
    this.#group = { value, begin, found: { ...found, event } };
    return before === null || isSame ? [] : [before.found];
  }

  #idOf(kind: string, value: string): string {
    return sameId(kind, this.#mapping.agentType, this.session_id!, value);
  }

  #contextOf(source: Source): Context {
    return { source, digits: false, rise: (path) => this.#counters.rise(path) };
  }

  #fieldsOf(rule: Rule, source: Source): ReadonlyMap<string, FieldValue> {
    const fields = new Map<string, FieldValue>();
    putFields(fields, rule.fields, this.#contextOf(source));
    return fields;
  }

  #metadataOf(rule: Rule, source: Source): JsonObject {
    const context = this.#contextOf(source);
    return Object.fromEntries(
      rule.metadata.flatMap(([name, value]) => {
        const found = computeValue(value, context);
        return found === undefined ? [] : [[name, joined(found)]];
      }),
    );
  }

  #found(rule: Rule, at: At, source: Source, event_id: string): Found {
    const begun = this.#begunOf(rule, source);
    const ran = at.time - (begun?.time ?? Number.NaN);
    const metadata = {
      transcript_path: this.#path,
      line: at.number,
      ...begun?.metadata,
      ...this.#metadataOf(rule, source),
    };
    const event = {
      ...(ran >= 0 ? { duration_ms: ran } : {}),
      ...Object.fromEntries(begun?.fields ?? []),
      ...Object.fromEntries(this.#kept),
      ...Object.fromEntries(this.#fieldsOf(rule, source)),
      session_id: this.session_id!,
      agent_type: this.#mapping.agentType,
      event_id,
      event_type: rule.eventType as EventType,
      source: 'import' as const,
      source_event: at.name,
      ...(Number.isNaN(at.time) ? {} : { client_timestamp: new Date(at.time).toISOString() }),
      metadata: shortened(metadata),
    };
    return { event, reported: rule.reported };
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

/** Returns the key of an interval; `undefined` if the line does not name one. */
function keyOf({ kind, id }: Interval, source: Source): string | undefined {
  const name = textOf(valueAt(source, id));
  return name === undefined ? undefined : `${kind} ${name}`;
}

/** Puts an entry; drops the oldest one above the bound. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_BEGUN) map.delete(map.keys().next().value!);
}
