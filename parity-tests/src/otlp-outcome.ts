/**
 * Computes the result of an OTLP request's records (rules OTL-05 to OTL-09): a third implementation of
 * `contract/agents`.
 *
 * Invariant: it shares no code with a server, and reads the mappings from their files.
 */
import FIELDS from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { eventIdOf } from './event-id.ts';
import { type Agent, agentOf, type Entry, type FieldSource, UNKNOWN } from './otlp-agents.ts';
import {
  type Attributes,
  attributesOf,
  idOf,
  type Members,
  objectText,
  plainText,
  sharedAttributes,
  timeOf,
  valueText,
} from './otlp-values.ts';
import { wholeRow } from './stored-row.ts';

export type Signal = 'logs' | 'spans';

/** The result of one record. */
export interface RecordOutcome {
  /** The name of the agent in `/api/health`. */
  readonly agent: string;
  /** `noise`, or a reason, when there is no event. */
  readonly ignored?: string;
  readonly row?: Readonly<Record<string, unknown>>;
  readonly metadata?: string;
}

/** A record with everything that its fields are read from. */
interface Source {
  readonly signal: Signal;
  readonly record: Members;
  readonly own: Attributes;
  readonly shared: Attributes;
  readonly parent: (key: string) => string | undefined;
}

/** Returns the results in the order of the records. */
export function otlpOutcomes(signal: Signal, request: Members): RecordOutcome[] {
  const [groups, scopes, records] =
    signal === 'logs'
      ? ['resourceLogs', 'scopeLogs', 'logRecords']
      : ['resourceSpans', 'scopeSpans', 'spans'];
  const list = (of: unknown, name: string): readonly Members[] =>
    ((of as Members)[name] ?? []) as readonly Members[];
  const all = list(request, groups!).flatMap((group) =>
    list(group, scopes!).flatMap((scope) =>
      list(scope, records!).map((record) => ({ group, scope, record })),
    ),
  );
  const isParent = (group: Members, scope: Members): boolean =>
    agentOf(scopeOf(scope), resourceOf(group), new Map())?.hasParentKeys === true;
  const parentOf = (id: string | undefined, key: string): string | undefined => {
    if (id === undefined) return undefined;
    const having = all
      .filter(({ group, scope, record }) => idOf(record.spanId, 8) === id && isParent(group, scope))
      .map(({ record }) => sharedAttributes(record.attributes).get(key));
    return having.findLast((text) => text !== undefined);
  };
  return all.map(({ group, scope, record }) => {
    const shared = resourceOf(group);
    const own = attributesOf(record.attributes);
    const parent = (key: string): string | undefined => parentOf(idOf(record.parentSpanId, 8), key);
    return outcome({ signal, record, own, shared, parent }, agentOf(scopeOf(scope), shared, own));
  });
}

function scopeOf({ scope }: Members): string {
  return ((scope as Members | undefined)?.name as string | undefined) ?? '';
}

function resourceOf({ resource }: Members): Attributes {
  return sharedAttributes((resource as Members | undefined)?.attributes);
}

function outcome(source: Source, agent: Agent | undefined): RecordOutcome {
  if (agent === undefined) return { agent: UNKNOWN, ignored: 'unknown_agent' };
  const named = { agent: agent.agent_type };
  const name = nameOf(source, agent);
  const entry = meaningOf(source, agent, name);
  if (entry === undefined) return { ...named, ignored: 'unknown_event' };
  if (entry === 'noise') return { ...named, ignored: 'noise' };
  const fields = fieldsOf(source, [...agent.fields, ...(entry.fields ?? [])]);
  if (fields.session_id === null) return { ...named, ignored: 'no_session' };
  const typed = (agent.agent_type_keys ?? [])
    .map((key) => lookUp(source, key))
    .find((one) => one !== undefined);
  const agentType = checked('agent_type', typed ?? JSON.stringify(agent.agent_type));
  if (agentType === null) return { ...named, ignored: 'invalid' };
  const [start, end] = timesOf(source);
  const time = start ?? (source.signal === 'logs' ? end : undefined);
  const metadata = metadataOf(source, agent, name);
  const duration =
    source.signal === 'spans' && start !== undefined && end !== undefined && BigInt(end) >= BigInt(start)
      ? { duration_ms: Number((BigInt(end) - BigInt(start)) / 1_000_000n) }
      : {};
  const row = wholeRow({
    event_id: eventId(source, agent, entry, name, agentType, fields.session_id),
    agent_type: agentType,
    event_type: entry.event_type,
    source: 'otel',
    source_event: checked('source_event', JSON.stringify(agent.name_prefix + name)),
    client_timestamp: time === undefined ? null : new Date(Number(BigInt(time) / 1_000_000n)).toISOString(),
    ...fields,
    ...duration,
    status: hasFailed(source, entry) || entry.event_type === 'error' ? 'error' : 'success',
    metadata: JSON.parse(metadata),
  });
  return { ...named, row, metadata };
}

/** Returns the name of a record; empty if it has none. */
function nameOf(source: Source, { name_keys, name_prefix }: Agent): string {
  const { signal, record } = source;
  const body = signal === 'logs' ? valueText(record.body) : undefined;
  const texts = [
    ...name_keys.map((key) => lookUp(source, key)),
    valueText({ stringValue: signal === 'logs' ? record.eventName : record.name }),
    body,
  ];
  const text = texts.find((one) => one !== undefined && /^"./s.test(one) && one !== '""');
  return text === undefined ? '' : withoutPrefix(plainText(text), name_prefix);
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function meaningOf(source: Source, agent: Agent, name: string): Entry | 'noise' | undefined {
  const entries = agent[source.signal];
  const named = Object.hasOwn(entries, name) ? [entries[name]!].flat() : [];
  const holds = (entry: Entry | 'noise'): boolean =>
    entry === 'noise' ||
    Object.entries(entry.when ?? {}).every(([key, wanted]) => {
      const text = lookUp(source, key);
      return text !== undefined && (wanted === '*' || plainText(text) === wanted);
    });
  return named.find(holds) ?? [entries['*'] ?? []].flat().find(holds);
}

/** Returns the JSON text of the value at a mapping's key. */
function lookUp({ record, own, shared, parent }: Source, key: string): string | undefined {
  if (key.startsWith('$parent.')) return parent(key.slice('$parent.'.length));
  const id = idsOf(record).get(key.slice(1));
  if (key.startsWith('$')) return id === undefined ? undefined : JSON.stringify(id);
  return own.get(key) ?? shared.get(key);
}

function idsOf(record: Members): ReadonlyMap<string, string | undefined> {
  return new Map([
    ['trace_id', idOf(record.traceId, 16)],
    ['span_id', idOf(record.spanId, 8)],
    ['parent_span_id', idOf(record.parentSpanId, 8)],
  ]);
}

function timesOf({ signal, record }: Source): readonly [string | undefined, string | undefined] {
  return signal === 'logs'
    ? [timeOf(record.timeUnixNano), timeOf(record.observedTimeUnixNano)]
    : [timeOf(record.startTimeUnixNano), timeOf(record.endTimeUnixNano)];
}

/** Returns each field in its stored form. Absent fields are omitted, except the session. */
function fieldsOf(
  source: Source,
  fields: readonly FieldSource[],
): Record<string, unknown> & { session_id: string | null } {
  const values: Record<string, unknown> = {};
  for (const { field, keys, plus = [], less = [] } of fields) {
    const text = keys.map((key) => lookUp(source, key)).find((one) => one !== undefined);
    if (text === undefined) continue;
    let value = checked(field, text);
    const sum = (of: readonly string[]): number =>
      of.reduce((total, key) => total + Number(checked(field, lookUp(source, key) ?? 'null') ?? 0), 0);
    if (typeof value === 'number' && plus.length + less.length > 0)
      value = checked(field, String(Math.max(0, value + sum(plus) - sum(less))));
    values[field] = value ?? defaultOf(field);
  }
  return { ...values, session_id: (values.session_id as string | undefined) ?? null };
}

interface Rule {
  readonly kind: string;
  readonly bytes?: number;
  readonly default?: unknown;
}

const RULES = FIELDS.fields as unknown as Readonly<Record<string, Rule>>;

function defaultOf(field: string): unknown {
  return RULES[field]!.default ?? null;
}

/** Returns a value by rules EVT-04 to EVT-07; null if it is invalid. */
function checked(field: string, json: string): string | number | null {
  const { kind, bytes } = RULES[field]!;
  if (kind === 'text') {
    const text = json.startsWith('"') ? plainText(json).trim() : '';
    return text === '' || Buffer.byteLength(text) > bytes! ? null : text;
  }
  const digits = /^"\d+"$/.test(json) ? plainText(json) : json;
  const number = /^-?[\d.]/.test(digits) ? Number(digits) : Number.NaN;
  if (!(number >= 0)) return null;
  if (kind === 'dollars') return number > 1_000_000 ? null : Math.round(number * 1e9) / 1e9;
  return Number.isInteger(number) && number <= LIMITS.max_integer ? number : null;
}

function hasFailed(source: Source, { status }: Entry): boolean {
  const { code } = (source.record.status ?? {}) as Members;
  if (source.signal === 'spans' && code === 2) return true;
  const json = status && lookUp(source, status.key);
  if (status === undefined || json === undefined) return false;
  const text = plainText(json);
  return (status.error?.includes(text) ?? false) || status.error_unless?.includes(text) === false;
}

function metadataOf(source: Source, agent: Agent, name: string): string {
  const { signal, record, own } = source;
  const members = new Map([...own].filter(([key]) => !agent.dropped_keys.includes(key)));
  const body = signal === 'logs' ? valueText(record.body) : undefined;
  const isName = body !== undefined && [name, agent.name_prefix + name].includes(plainText(body));
  if (body !== undefined && !(isName && body.startsWith('"'))) members.set('body', body);
  const [start, end] = timesOf(source);
  const more = [
    ...idsOf(record),
    ...(signal === 'spans'
      ? ([
          ['start', start],
          ['end', end],
        ] as const)
      : []),
  ];
  for (const [key, text] of more) if (text !== undefined) members.set(key, JSON.stringify(text));
  return objectText(members);
}

function eventId(
  source: Source,
  agent: Agent,
  { same }: Entry,
  name: string,
  agentType: unknown,
  sessionId: unknown,
): string {
  const value = same && lookUp(source, same.key);
  if (value?.startsWith('"') && value !== '""')
    return eventIdOf(`${JSON.stringify([agentType, sessionId, same!.kind]).slice(0, -1)},${value}]`);
  const ids = idsOf(source.record);
  const parts = [agentType, source.signal, name, ...timesOf(source), ...ids.values()];
  const texts = parts.map((part) => JSON.stringify(part ?? null));
  return eventIdOf(
    `[${[...texts, ...agent.event_id.map((key) => lookUp(source, key) ?? 'null')].join(',')}]`,
  );
}
