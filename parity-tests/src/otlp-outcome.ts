/**
 * Computes the result of an OTLP request's records (rules OTL-05 to OTL-09).
 *
 * Invariant: it shares no code with a server, and reads the mappings from their file.
 */
import { eventIdOf } from './event-id.ts';
import { checked, fieldsOf, type Reading, type Rule, ruleOf, textOf } from './mapped-value.ts';
import { type Agent, agentOf, UNKNOWN } from './otlp-agents.ts';
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
  const reading: Reading = { at: (path) => lookUp(source, path), hasDigits: true };
  const rule = ruleOf(agent[source.signal], name, reading);
  if (rule === undefined) return { ...named, ignored: 'unknown_event' };
  if (rule === 'noise') return { ...named, ignored: 'noise' };
  const fields = fieldsOf([agent.fields, rule.fields ?? {}], reading);
  if (fields.session_id === undefined) return { ...named, ignored: 'no_session' };
  const typed = textOf('agent_type', agent.fields.agent_type ?? [], reading);
  const agentType = checked('agent_type', typed ?? JSON.stringify(agent.agent_type), false);
  if (agentType === null) return { ...named, ignored: 'invalid' };
  const [start, end] = timesOf(source);
  const time = start ?? (source.signal === 'logs' ? end : undefined);
  const metadata = metadataOf(source, agent, name);
  const duration =
    source.signal === 'spans' && start !== undefined && end !== undefined && BigInt(end) >= BigInt(start)
      ? { duration_ms: Number((BigInt(end) - BigInt(start)) / 1_000_000n) }
      : {};
  const row = wholeRow({
    event_id: eventId(source, agent, rule, name, agentType, fields.session_id),
    event_type: rule.event_type,
    source: 'otel',
    source_event: checked('source_event', JSON.stringify(agent.prefix + name), false),
    client_timestamp: time === undefined ? null : new Date(Number(BigInt(time) / 1_000_000n)).toISOString(),
    status: rule.event_type === 'error' ? 'error' : 'success',
    ...fields,
    agent_type: agentType,
    ...duration,
    ...(hasFailed(source) ? { status: 'error' } : {}),
    metadata: JSON.parse(metadata),
  });
  return { ...named, row, metadata };
}

/** Returns the name of a record; empty if it has none. */
function nameOf(source: Source, { name, prefix }: Agent): string {
  const { signal, record } = source;
  const body = signal === 'logs' ? valueText(record.body) : undefined;
  const texts = [
    ...name.from.map((path) => lookUp(source, path)),
    valueText({ stringValue: signal === 'logs' ? record.eventName : record.name }),
    body,
  ];
  const text = texts.find((one) => one !== undefined && /^"./s.test(one) && one !== '""');
  return text === undefined ? '' : withoutPrefix(plainText(text), prefix);
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Returns the JSON text of the value at a path. */
function lookUp({ record, own, shared, parent }: Source, path: string): string | undefined {
  const [first = '', ...rest] = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (first === '$parent') return memberOf(parent(rest[0]!), rest.slice(1));
  const id = idsOf(record).get(first.slice(1));
  if (first.startsWith('$')) return id === undefined ? undefined : JSON.stringify(id);
  return memberOf(own.get(first) ?? shared.get(first), rest);
}

/** Returns the JSON text that keys lead to inside of a value. */
function memberOf(json: string | undefined, keys: readonly string[]): string | undefined {
  if (json === undefined || keys.length === 0) return json;
  let value: unknown = JSON.parse(json);
  for (const key of keys)
    value = Object(value) === value && Object.hasOwn(value as object, key) ? (value as Members)[key] : null;
  return value === null ? undefined : JSON.stringify(value);
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

function hasFailed({ signal, record }: Source): boolean {
  const { code } = (record.status ?? {}) as Members;
  return signal === 'spans' && code === 2;
}

function metadataOf(source: Source, agent: Agent, name: string): string {
  const { signal, record, own } = source;
  const members = new Map([...own].filter(([key]) => !agent.omit.includes(key)));
  const body = signal === 'logs' ? valueText(record.body) : undefined;
  const isName = body !== undefined && [name, agent.prefix + name].includes(plainText(body));
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
  { same }: Rule,
  name: string,
  agentType: unknown,
  sessionId: unknown,
): string {
  const value = same && lookUp(source, same.from);
  if (value?.startsWith('"') && value !== '""')
    return eventIdOf(`${JSON.stringify([agentType, sessionId, same!.kind]).slice(0, -1)},${value}]`);
  const ids = idsOf(source.record);
  const parts = [agentType, source.signal, name, ...timesOf(source), ...ids.values()];
  const texts = parts.map((part) => JSON.stringify(part ?? null));
  return eventIdOf(`[${[...texts, ...agent.id.map((path) => lookUp(source, path) ?? 'null')].join(',')}]`);
}
