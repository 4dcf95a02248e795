/**
 * Turns a record into an event by the mapping of its agent (rules OTL-06 to OTL-09).
 *
 * Pure. Invariant: the size of an event is bounded by its record and by the values that the record shares with
 * others.
 */
import { hashedId, sameId } from '@twin-ingest/mapping/event-id.ts';
import { type FieldValue, fieldValue, SOURCE_EVENT } from '@twin-ingest/mapping/field.ts';
import { PARENT_PREFIX, type Source, valueAt } from '@twin-ingest/mapping/path.ts';
import { firstRule, type Rule, subjectOf } from '@twin-ingest/mapping/rule.ts';
import { type Context, computeValue, fieldValueOf, putFields } from '@twin-ingest/mapping/value.ts';
import { type Agent, agentOf } from './agents.ts';
import type { Reason } from './counters.ts';
import type { Attributes, Record } from './record.ts';
import { objectJson, stringOf, valueIn } from './values.ts';

/** Attributes of the spans of a request by their ids. */
export type Parents = ReadonlyMap<string, Attributes>;

/** An event, before it is stored. */
export interface MappedEvent {
  readonly eventType: string;
  readonly fields: ReadonlyMap<string, FieldValue>;
  /** JSON text of an object (rule OTL-08). */
  readonly metadata: string;
}

/** The result of mapping a record: an event, nothing to store, or the reason to reject it. */
export type Mapped = { readonly agent: Agent | undefined } & (
  | { readonly kind: 'event'; readonly event: MappedEvent }
  | { readonly kind: 'noise' }
  | { readonly kind: 'rejected'; readonly reason: Reason }
);

const NANOS_PER_MS = 1_000_000n;

/** Maps one record. */
export function mapRecord(record: Record, parents: Parents): Mapped {
  const agent = agentOf(record.scope, record.resource, record.attributes);
  if (agent === undefined) return { agent, kind: 'rejected', reason: 'unknown_agent' };
  const reading = new Reading(agent, record, parents);
  const entries = record.signal === 'spans' ? agent.spec.spans : agent.spec.logs;
  const rule = firstRule(entries, reading.name, reading);
  if (rule === undefined) return { agent, kind: 'rejected', reason: 'unknown_event' };
  if (rule === 'noise') return { agent, kind: 'noise' };
  const event = reading.event(rule);
  if (typeof event === 'string') return { agent, kind: 'rejected', reason: event };
  return { agent, kind: 'event', event };
}

/** A record, read by the mapping of its agent. */
class Reading implements Source {
  readonly name: string;
  private readonly agent: Agent;
  private readonly record: Record;
  private readonly parents: Parents;
  private readonly context: Context = { source: this, digits: true };

  constructor(agent: Agent, record: Record, parents: Parents) {
    this.agent = agent;
    this.record = record;
    this.parents = parents;
    this.name = this.nameOf();
  }

  /** Returns the event, or the reason to reject the record. */
  event(rule: Rule): MappedEvent | Reason {
    const { agent, record } = this;
    const fields = new Map<string, FieldValue>();
    putFields(fields, agent.spec.fields, this.context);
    putFields(fields, rule.fields, this.context);
    const sessionId = fields.get('session_id') as string | undefined;
    if (sessionId === undefined) return 'no_session';
    const agentType = this.agentType();
    if (agentType === undefined) return 'invalid';
    fields.set('agent_type', agentType);
    const sourceEvent = fieldValue(SOURCE_EVENT, agent.spec.prefix + this.name, false);
    if (sourceEvent !== undefined) fields.set('source_event', sourceEvent);
    fields.set('event_id', this.eventId(rule, agentType, sessionId));
    const [first, second] = record.times;
    const isSpan = record.signal === 'spans';
    const time = isSpan ? first : (first ?? second);
    if (time !== undefined) fields.set('client_timestamp', Number(BigInt(time) / NANOS_PER_MS));
    if (isSpan && first !== undefined && second !== undefined && BigInt(second) >= BigInt(first))
      fields.set('duration_ms', Number((BigInt(second) - BigInt(first)) / NANOS_PER_MS));
    if (record.hasFailed) fields.set('status', 'error');
    return { eventType: rule.eventType!, fields, metadata: this.metadata() };
  }

  /** Returns the value of a first key: of the record, otherwise of its resource. */
  get(key: string): unknown {
    const json = this.jsonAt(key);
    return json === undefined ? undefined : valueIn(json);
  }

  private jsonAt(key: string): string | undefined {
    const { record } = this;
    if (key.startsWith(PARENT_PREFIX)) {
      const parent = record.parentSpanId;
      return parent === undefined
        ? undefined
        : this.parents.get(parent)?.get(key.slice(PARENT_PREFIX.length));
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

  /** Returns the first text that is not empty, without the prefix; empty when there is none. */
  private nameOf(): string {
    const { record, agent } = this;
    const texts = agent.spec.name.map((path) => valueAt(this, path));
    const name = [...texts, record.name, stringOf(record.body)].find(
      (text) => typeof text === 'string' && text !== '',
    );
    return withoutPrefix((name as string | undefined) ?? '', agent.spec.prefix);
  }

  /** Returns the type by its rule, otherwise that of the agent; `undefined` if the record has an invalid one. */
  private agentType(): string | undefined {
    const { typeRule, spec } = this.agent;
    if (typeRule === undefined || computeValue(typeRule.value, this.context) === undefined)
      return spec.agentType;
    return fieldValueOf(typeRule, this.context) as string | undefined;
  }

  /** Returns attributes, body and ids (rule OTL-08). */
  private metadata(): string {
    const { record } = this;
    const { omit, prefix } = this.agent.spec;
    const members = new Map([...record.attributes].filter(([key]) => !omit.has(key)));
    const put = (name: string, json: string | undefined): void => {
      if (json !== undefined) members.set(name, json);
    };
    const { body } = record;
    const text = stringOf(body);
    const isName = text !== undefined && withoutPrefix(text, prefix) === this.name;
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

  private eventId({ same }: Rule, agentType: string, sessionId: string): string {
    const { agent, record } = this;
    const subject = same === undefined ? undefined : subjectOf(same, this);
    if (subject !== undefined) return sameId(same!.kind, agentType, sessionId, subject);
    const { signal, times, traceId, spanId, parentSpanId } = record;
    const texts = [agentType, signal, this.name, ...times, traceId, spanId, parentSpanId].map(quoted);
    return hashedId([...texts, ...agent.spec.id.map(({ key }) => this.jsonAt(key))]);
  }
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
