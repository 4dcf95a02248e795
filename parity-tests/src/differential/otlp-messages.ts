/**
 * Generates well-formed random OTLP requests. They have records of every agent with the names and keys of its mapping,
 * values of every type, unusual scopes, times and ids.
 */

import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { pathsOf, rulesOf } from '../mapped-value.ts';
import { AGENTS, type Agent } from '../otlp-agents.ts';
import type { Members } from '../otlp-values.ts';

const TEXTS = [
  's1',
  's2',
  ' s1 ',
  'Bash',
  'gpt-5',
  '12',
  '0',
  '007',
  '-1',
  '0.5',
  'false',
  'true',
  'reject',
  '',
  ' ',
  'é😀',
  'x'.repeat(257),
];
const EXACT: readonly Members[] = [
  { intValue: '9007199254740991' },
  { intValue: '9007199254740992' },
  { intValue: '-9223372036854775808' },
  { doubleValue: 3 },
  { doubleValue: 1e21 },
  { doubleValue: 'NaN' },
  { bytesValue: 'AQI=' },
  { stringValue: 'a\0b' },
  { kvlistValue: { values: [] } },
];
const SCALARS: readonly unknown[] = [0, 1, 7, 1500, -1, 0.25, 0.1, 1_000_000, true, false, null, ...EXACT];
const NAMES = ['unheard', '', 'constructor', 'claude_code.claude_code.tool', 'é'];
const SCOPES = ['other', '', 'com.anthropic.claude_codes', 'gemini-cli:x'];
const TIMES = [
  '1771438001231000000',
  '1771438001231999999',
  '1771438002000000000',
  '0',
  '1',
  '18446744073709551615',
];
const SPAN_IDS = ['b7ad6b7169203331', '00f067aa0ba902b7', '0000000000000000', '00F067AA0BA902B8', '01', ''];
const TRACE_IDS = ['0af7651916cd43dd8448eb211c80319c', '00000000000000000000000000000000', '0af7', ''];
/** Attributes with these keys are mostly valid, so that most records become events. */
const SESSIONS = ['session.id', 'conversation.id', 'gen_ai.conversation.id'];

export interface OtlpMessage {
  readonly path: string;
  readonly request: Members;
}

export function otlpMessage(random: Random): OtlpMessage {
  const roll = random.next();
  const groups = 1 + random.below(2);
  if (roll < 0.1) {
    const kinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];
    const metrics = Array.from(
      { length: random.below(4) },
      () => [random.pick(kinds), random.below(4)] as const,
    );
    const of = Array.from({ length: groups }, () => ({ ...place(random, random.pick(AGENTS)), metrics }));
    return { path: '/v1/metrics', request: otlpRequest(of) };
  }
  const signal = roll < 0.6 ? 'logs' : 'spans';
  const of = Array.from({ length: groups }, () => {
    const agent = random.pick(AGENTS);
    const records = Array.from({ length: random.below(5) }, () => recordOf(random, agent, signal));
    return { ...place(random, agent), [signal]: records };
  });
  return { path: signal === 'logs' ? '/v1/logs' : '/v1/traces', request: otlpRequest(of) };
}

function place(random: Random, { scopes, services }: Agent): { scope?: string; resource?: Members } {
  const own = scopes.length > 0 && random.chance(0.85);
  const scope = own
    ? `${random.pick(scopes)}${random.pick(['', '', '.events', ':x', 'x'])}`
    : random.pick(SCOPES);
  const service = services.length > 0 && random.chance(0.6) ? random.pick(services) : 'shop';
  const resource = {
    'service.name': random.chance(0.9) ? service : someValue(random),
    ...(random.chance(0.1) ? { 'session.id': 'of-resource' } : {}),
  };
  return { ...(random.chance(0.9) ? { scope } : {}), ...(random.chance(0.8) ? { resource } : {}) };
}

function recordOf(random: Random, agent: Agent, signal: 'logs' | 'spans'): Members {
  const names = Object.keys(agent[signal]);
  const known = names.length > 0 && random.chance(0.9) ? random.pick(names) : random.pick(NAMES);
  const name = random.chance(0.5) ? agent.prefix + known : known;
  const isAttribute = random.chance(signal === 'logs' || agent.prefix === '' ? 0.9 : 0.1);
  const attributes = attributesOf(random, agent, signal, isAttribute ? name : undefined);
  const time = (): string => random.pick(TIMES);
  const ids = {
    ...(random.chance(0.6) ? { traceId: random.pick(TRACE_IDS) } : {}),
    ...(random.chance(0.7) ? { spanId: random.pick(SPAN_IDS) } : {}),
  };
  if (signal === 'logs')
    return {
      ...(random.chance(0.8) ? { timeUnixNano: time() } : {}),
      ...(random.chance(0.5) ? { observedTimeUnixNano: time() } : {}),
      ...ids,
      ...(random.chance(0.3) ? { eventName: name } : {}),
      ...(random.chance(0.4) ? { body: random.chance(0.5) ? name : someValue(random) } : {}),
      attributes,
    };
  return {
    ...ids,
    ...(random.chance(0.6) ? { parentSpanId: random.pick(SPAN_IDS) } : {}),
    name,
    ...(random.chance(0.9) ? { startTimeUnixNano: time() } : {}),
    ...(random.chance(0.9) ? { endTimeUnixNano: time() } : {}),
    attributes,
    ...(random.chance(0.3) ? { status: { code: random.below(3) } } : {}),
  };
}

/** Returns attributes with the keys that a mapping reads, so that each entry of the mapping matches sometimes. */
function attributesOf(
  random: Random,
  agent: Agent,
  signal: 'logs' | 'spans',
  name: string | undefined,
): readonly Members[] {
  const keys = keysOf(agent, signal);
  const named = name === undefined ? [] : [[agent.name.from[0]!, name] as const];
  const sessions = SESSIONS.filter((key) => keys.includes(key) && random.chance(0.8)).map(
    (key) => [key, random.pick(['s1', 's2'])] as const,
  );
  const others = Array.from(
    { length: random.below(8) },
    () => [random.pick(keys), someValue(random)] as const,
  );
  const pairs = [...named, ...sessions, ...others];
  if (random.chance(0.2)) pairs.reverse();
  const { resourceLogs } = otlpRequest({
    logs: pairs.map(([key, value]) => ({ attributes: { [key]: value } })),
  }) as { resourceLogs: readonly { scopeLogs: readonly { logRecords: readonly Members[] }[] }[] };
  return resourceLogs[0]!.scopeLogs[0]!.logRecords.flatMap(
    ({ attributes }) => attributes as readonly Members[],
  );
}

function someValue(random: Random): unknown {
  const roll = random.next();
  if (roll < 0.55) return random.pick(TEXTS);
  if (roll < 0.9) return random.pick(SCALARS);
  if (roll < 0.95) return [random.pick(TEXTS), random.pick(SCALARS)];
  return { k: random.pick(TEXTS), n: random.pick(SCALARS) };
}

const known = new Map<Agent, Readonly<Record<string, readonly string[]>>>();

/** Returns every attribute key of a mapping, and a few others. */
export function keysOf(agent: Agent, signal: 'logs' | 'spans'): readonly string[] {
  const all = known.get(agent) ?? { logs: keysIn(agent, 'logs'), spans: keysIn(agent, 'spans') };
  known.set(agent, all);
  return all[signal]!;
}

function keysIn(agent: Agent, signal: 'logs' | 'spans'): string[] {
  const entries = agent[signal];
  const rules = Object.keys(entries).flatMap((name) => rulesOf(entries, name) ?? []);
  const values = [agent.fields, ...rules.map(({ fields = {} }) => fields)].flatMap((fields) =>
    Object.values(fields),
  );
  const keys = [
    ...values.flatMap(pathsOf),
    ...rules.flatMap(({ match = {}, unless = {}, same }) => [
      ...Object.keys({ ...match, ...unless }),
      ...(same === undefined ? [] : [same.from]),
    ]),
    ...agent.id,
    ...agent.omit,
    'gen_ai.system',
    'trace_id',
    'body',
    '',
  ].map((key) => key.replace(/^\$parent\//, ''));
  return [...new Set(keys.filter((key) => !key.startsWith('$')))];
}
