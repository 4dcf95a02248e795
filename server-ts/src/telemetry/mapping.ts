/**
 * Turns a record into an event, as its agent's file defines it (rules OTL-06 to OTL-09).
 *
 * Pure. Invariant: the size of an event is bounded by its record and by the values that the record shares with
 * others.
 */
import { FIELD, type FieldSpec } from '../field.ts';
import { byteLength, trimText } from '../text.ts';
import { formatTimestamp } from '../timestamp.ts';
import { type Agent, agentOf, type Meaning, PARENT, type Source } from './agents.ts';
import type { Reason } from './counters.ts';
import { hashedId, sameId } from './event-id.ts';
import type { Attributes, Record } from './record.ts';
import { objectJson, plainText, stringOf } from './values.ts';

/** Attributes of the spans of a request by their ids. */
export type Parents = ReadonlyMap<string, Attributes>;

/** The result of mapping a record: an event's JSON text, nothing to store, or the reason to reject it. */
export type Mapped = { readonly agent: Agent | undefined } & (
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'noise' }
  | { readonly kind: 'rejected'; readonly reason: Reason }
);

const NANOS_PER_MS = 1_000_000n;
const DIGITS = /^[0-9]+$/;

/** Maps one record. */
export function mapRecord(record: Record, parents: Parents): Mapped {
  const agent = agentOf(record.scope, record.resource, record.attributes);
  if (agent === undefined) return { agent, kind: 'rejected', reason: 'unknown_agent' };
  const reading = new Reading(agent, record, parents);
  const entry = agent.entryOf(record.signal, reading.name, (key) => reading.textAt(key));
  if (entry === undefined) return { agent, kind: 'rejected', reason: 'unknown_event' };
  if (entry === 'noise') return { agent, kind: 'noise' };
  const event = reading.event(entry);
  if (typeof event === 'string') return { agent, kind: 'rejected', reason: event };
  return { agent, kind: 'event', text: objectJson(event) };
}

/** A record, read by the mapping of its agent. */
class Reading {
  readonly name: string;
  private readonly agent: Agent;
  private readonly record: Record;
  private readonly parents: Parents;

  constructor(agent: Agent, record: Record, parents: Parents) {
    this.agent = agent;
    this.record = record;
    this.parents = parents;
    this.name = this.nameOf();
  }

  /** Returns the members of the event, or the reason to reject it. */
  event(meaning: Meaning): Attributes | Reason {
    const { agent, record } = this;
    const { entry } = meaning;
    const members = new Map<string, string>();
    for (const source of [...agent.fields, ...meaning.fields]) {
      const value = this.valueOf(source);
      if (value !== undefined) members.set(source.field.name, value);
    }
    const sessionId = fieldText(FIELD.session_id, members.get('session_id'));
    if (sessionId === undefined) return 'no_session';
    const { agent_type: fixed, agent_type_keys: keys = [] } = agent.spec;
    const agentType = fieldText(FIELD.agent_type, this.firstOf(keys) ?? JSON.stringify(fixed));
    if (agentType === undefined) return 'invalid';
    const put = (name: string, text: string): void => void members.set(name, JSON.stringify(text));
    put('agent_type', agentType);
    put('event_type', entry.event_type);
    put('source', 'otel');
    put('source_event', agent.spec.name_prefix + this.name);
    put('event_id', this.eventId(meaning, agentType, sessionId));
    const [first, second] = record.times;
    const isSpan = record.signal === 'spans';
    const time = isSpan ? first : (first ?? second);
    if (time !== undefined) put('client_timestamp', formatTimestamp(Number(BigInt(time) / NANOS_PER_MS)));
    if (isSpan && first !== undefined && second !== undefined && BigInt(second) >= BigInt(first))
      members.set('duration_ms', String((BigInt(second) - BigInt(first)) / NANOS_PER_MS));
    if (this.isError(meaning)) put('status', 'error');
    members.set('metadata', this.metadata());
    return members;
  }

  /** Returns the text of a key: a text unchanged, any other value as JSON. */
  textAt(key: string): string | undefined {
    const json = this.jsonAt(key);
    return json === undefined ? undefined : plainText(json);
  }

  /** Returns the JSON text of a key's value: of the record, otherwise of its resource. */
  private jsonAt(key: string): string | undefined {
    const { record } = this;
    if (key.startsWith(PARENT)) {
      const parent = record.parentSpanId;
      return parent === undefined ? undefined : this.parents.get(parent)?.get(key.slice(PARENT.length));
    }
    switch (key) {
      case '$trace_id':
        return quoted(record.traceId);
      case '$span_id':
        return quoted(record.spanId);
      case '$parent_span_id':
        return quoted(record.parentSpanId);
      default:
        return record.attributes.get(key) ?? record.resource.get(key);
    }
  }

  private firstOf(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const json = this.jsonAt(key);
      if (json !== undefined) return json;
    }
    return undefined;
  }

  /** Returns the first text that is not empty, without the prefix; empty when there is none. */
  private nameOf(): string {
    const { record, agent } = this;
    const { name_keys: keys, name_prefix: prefix } = agent.spec;
    const texts = keys.map((key) => stringOf(this.jsonAt(key)));
    const name = [...texts, record.name, stringOf(record.body)].find(
      (text) => text !== undefined && text !== '',
    );
    return withoutPrefix(name ?? '', prefix);
  }

  private valueOf({ field, keys, plus, less }: Source): string | undefined {
    const json = this.firstOf(keys);
    if (json === undefined || field.kind === 'text') return json;
    const value = numberJson(json);
    if (plus === undefined && less === undefined) return value;
    const whole = wholeOf(value);
    if (whole === undefined) return value;
    const sum = (list: readonly string[] = []): bigint =>
      list.reduce((total, key) => total + (wholeOf(numberJson(this.jsonAt(key) ?? '')) ?? 0n), 0n);
    const result = whole + sum(plus) - sum(less);
    return String(result < 0n ? 0n : result);
  }

  private isError({ entry: { status } }: Meaning): boolean {
    if (this.record.hasFailed) return true;
    const text = status === undefined ? undefined : this.textAt(status.key);
    if (text === undefined) return false;
    const { error, error_unless: unless } = status!;
    return error?.includes(text) === true || unless?.includes(text) === false;
  }

  /** Returns attributes, body and ids (rule OTL-08). */
  private metadata(): string {
    const { agent, record } = this;
    const members = new Map([...record.attributes].filter(([key]) => !agent.droppedKeys.has(key)));
    const put = (name: string, json: string | undefined): void => {
      if (json !== undefined) members.set(name, json);
    };
    const { body } = record;
    const isName = withoutPrefix(stringOf(body) ?? '', agent.spec.name_prefix) === this.name;
    if (!isName) put('body', body);
    put('trace_id', quoted(record.traceId));
    put('span_id', quoted(record.spanId));
    put('parent_span_id', quoted(record.parentSpanId));
    if (record.signal === 'spans') {
      put('start', quoted(record.times[0]));
      put('end', quoted(record.times[1]));
    }
    return objectJson(members);
  }

  private eventId({ entry: { same } }: Meaning, agentType: string, sessionId: string): string {
    const { agent, record } = this;
    const value = same === undefined ? undefined : stringOf(this.jsonAt(same.key));
    if (value !== undefined && value !== '') return sameId(same!, agentType, sessionId, value);
    const { signal, times, traceId, spanId, parentSpanId } = record;
    const texts = [agentType, signal, this.name, ...times, traceId, spanId, parentSpanId].map(quoted);
    const values = agent.spec.event_id.map((key) => this.jsonAt(key));
    return hashedId([...texts, ...values]);
  }
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Returns a text of digits as a number, any other value unchanged. */
function numberJson(json: string): string {
  const text = stringOf(json) ?? '';
  return DIGITS.test(text) ? text.replace(/^0+(?=[0-9])/, '') : json;
}

/** Returns the integer of a JSON text (rule EVT-11). */
function wholeOf(json: string): bigint | undefined {
  const value = /^[-0-9]/.test(json) ? Number(json) : Number.NaN;
  return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}

/** Returns the trimmed text of a field; `undefined` when it breaks rule EVT-12. */
function fieldText({ maxBytes }: FieldSpec, json: string | undefined): string | undefined {
  const text = trimText(stringOf(json) ?? '');
  return text === '' || byteLength(text) > maxBytes ? undefined : text;
}
