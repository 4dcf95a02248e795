/** Makes valid records of the agents' telemetry, from their examples: the ground for hostile ones. */
import { keysOf, pathsIn } from '@twin-ingest/testkit/hostile/json.ts';
import { OTLP_MESSAGES } from '@twin-ingest/testkit/otlp/protobuf.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Entries, Fields } from '../mapped-value.ts';
import type { Members } from '../otlp-values.ts';
import { type Named, textsOf } from './readings.ts';

export interface Telemetry {
  readonly known_by: { readonly scopes?: readonly string[]; readonly services?: readonly string[] };
  readonly name: { readonly from: readonly string[]; readonly prefix?: string };
  readonly id: readonly string[];
  readonly fields: Fields;
  readonly logs: Entries;
  readonly spans: Entries;
}

export interface Example {
  readonly source: string;
  readonly resource?: Members;
  readonly scope?: Members;
  readonly records: readonly Members[];
}

export interface Attribute {
  readonly key: unknown;
  readonly value?: unknown;
}

/** The scope and the resource of an agent, and records of it. */
export interface Base {
  readonly resource: Members;
  readonly scope: Members;
  readonly records: readonly Members[];
}

export type Signal = 'logs' | 'spans';

/** The path of each signal, the names of its lists, and its message. */
export const PLACES = {
  logs: { path: '/v1/logs', lists: ['resourceLogs', 'scopeLogs', 'logRecords'], message: 'LogRecord' },
  spans: { path: '/v1/traces', lists: ['resourceSpans', 'scopeSpans', 'spans'], message: 'Span' },
} as const;

/** Returns what the examples of a signal have; those of the other signal, if it has none. */
export function baseOf({ known_by }: Telemetry, examples: readonly Example[], signal: Signal): Base {
  const own = examples.filter(({ source }) => source === signal);
  const used = own.length > 0 ? own : examples.filter(({ source }) => source in PLACES);
  const { scopes = [], services = [] } = known_by;
  const service = { key: 'service.name', value: { stringValue: services[0] ?? 'shop' } };
  return {
    resource: used[0]?.resource ?? { attributes: [service] },
    scope: used[0]?.scope ?? { name: scopes[0] ?? 'gen_ai' },
    records: used.flatMap(({ records }) => records),
  };
}

/** Returns a record of a name. Of a span the parent comes first. */
export function recordsOf(
  random: Random,
  telemetry: Telemetry,
  signal: Signal,
  base: Base,
  { name, rule, free }: Named,
  serial: number,
  someValue: (random: Random) => unknown,
): Members[] {
  const { prefix = '', from } = telemetry.name;
  const real = base.records.length === 0 ? {} : random.pick(base.records);
  const record = membersIn(real, PLACES[signal].message);
  const fullName = random.chance(0.5) ? prefix + name : name;
  // Most records have an id of their own, so that they are not duplicates.
  const id = telemetry.id.filter((path) => !/session|conversation/.test(path) && random.chance(0.9));
  const unique = Object.fromEntries(id.map((path) => [path, `id-${serial}`]));
  const told = { ...unique, [from[0]!]: fullName, ...textsOf(random, rule) };
  const attributes = Object.entries(told)
    .filter(([path]) => !path.startsWith('$'))
    .reduce((list, [path, text]) => put(list, keysOf(path)[0]!, { stringValue: text }), listOf(record));
  // Fields do not depend on each other, so that one record tests several.
  const hostile = free
    .filter(() => random.chance(0.5))
    .reduce((list, path) => put(list, keysOf(path)[0]!, someValue(random)), attributes);
  const number = serial.toString(16).padStart(8, '0');
  const ids = { traceId: `0af7651916cd43dd8448eb21${number}`, spanId: `b7ad6b71${number}` };
  if (signal === 'logs')
    return [{ timeUnixNano: '1771438001231000000', ...record, ...ids, attributes: hostile }];
  const parentSpanId = `00f067aa${number}`;
  const times = { startTimeUnixNano: '1771438001231000000', endTimeUnixNano: '1771438002231999999' };
  const own = { ...times, status: {}, ...record, ...ids, parentSpanId, name: fullName, attributes: hostile };
  return [{ ...own, spanId: parentSpanId, attributes: parentAttributes(telemetry) }, own];
}

/** Returns a request with these records. */
export function requestOf(signal: Signal, { resource, scope }: Base, records: readonly unknown[]): Members {
  const [groups, scopes, list] = PLACES[signal].lists;
  return { [groups]: [{ resource, [scopes]: [{ scope, [list]: records }] }] };
}

export function metricsOf({ resource, scope }: Base): Members {
  const dataPoints = [{}, {}];
  const metrics = ['gauge', 'sum', 'histogram'].map((kind) => ({ [kind]: { dataPoints } }));
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
}

export function listOf({ attributes }: Members): Attribute[] {
  return [...((attributes ?? []) as Attribute[])];
}

/** Returns attributes in which this key has only this value. */
export function put(list: readonly Attribute[], key: string, value: unknown): Attribute[] {
  return [...list.filter((one) => one.key !== key), { key, value }];
}

/** Returns the members of a record that a message has. */
function membersIn(record: Members, message: string): Members {
  const names = OTLP_MESSAGES[message]!.map(([, name]) => name);
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

function parentAttributes(telemetry: Telemetry): Attribute[] {
  const keys = pathsIn(telemetry).filter((path) => path.startsWith('$parent/'));
  return keys.map((path) => ({ key: keysOf(path)[1], value: { stringValue: '7' } }));
}
