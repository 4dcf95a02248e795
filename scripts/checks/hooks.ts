/**
 * The mappings in `contract/hooks` against the vocabulary and the event (rule HOK-02).
 *
 * Why: both servers trust a mapping when they start, and a word that no event may have would be stored all the
 * same, since hooks are not validated as events are.
 * What must stay true: it says where a word stands that is none, and knows nothing of servers.
 */
import type { Json, JsonObject } from '../contract-facts.ts';

interface Vocabulary {
  readonly event_types?: readonly string[];
  readonly statuses?: readonly string[];
  readonly sources?: readonly string[];
}

const KEYS = ['about', 'name_key', 'agent_type', 'source', 'fields', 'summary_keys', 'hooks', 'other'];
const ENTRY_KEYS = ['event_type', 'status', 'ends_call', 'connect'];
const FIELD_KEYS = ['field', 'key', 'take', 'default'];
const TAKES = ['last_segment'];
const CONNECTS = ['http', 'command'];

/** Problems of one mapping, by its name below `contract/`. `event` is `event.schema.json`. */
export function checkHooks(name: string, mapping: Json, vocabulary: Json, event: Json): string[] {
  if (!isObject(mapping)) return [`${name} is no object`];
  const words = vocabulary as Vocabulary;
  const { source, fields, hooks, other } = mapping;
  const problems = [
    ...unknownKeys(mapping, KEYS, ''),
    ...['name_key', 'agent_type']
      .filter((key) => typeof mapping[key] !== 'string' || mapping[key] === '')
      .map((key) => `${key} is no text`),
    ...oneOf(source, words.sources, 'source'),
    ...(Array.isArray(fields) ? fields.flatMap((field) => checkField(field, event)) : ['fields is no array']),
    ...checkSummaryKeys(mapping.summary_keys, mapping.name_key),
    ...(isObject(hooks)
      ? Object.entries(hooks).flatMap(([hook, entry]) => checkEntry(hook, entry, words))
      : ['hooks is no object']),
    ...checkEntry('other', other, words),
  ];
  const named = Array.isArray(fields) ? fields.map((field) => (field as JsonObject)?.field) : [];
  const twice = named.filter((field, index) => named.indexOf(field) !== index);
  return [...problems, ...twice.map((field) => `${field} is taken twice`)].map((text) => `${name}: ${text}`);
}

function checkField(field: Json, event: Json): string[] {
  if (!isObject(field)) return [`${JSON.stringify(field)} is no field`];
  const { properties } = event as { properties?: JsonObject };
  const where = String(field.field);
  return [
    ...unknownKeys(field, FIELD_KEYS, `${where}: `),
    ...oneOf(field.field, Object.keys(properties ?? {}), 'field'),
    ...(typeof field.key === 'string' ? [] : [`${where}: key is no text`]),
    ...(field.take === undefined ? [] : oneOf(field.take, TAKES, `${where}: take`)),
    ...(['undefined', 'string'].includes(typeof field.default) ? [] : [`${where}: default is no text`]),
  ];
}

/** The name comes first, so that no limit is too small for it; servers write these keys without escaping them. */
function checkSummaryKeys(keys: Json | undefined, name: Json | undefined): string[] {
  if (!Array.isArray(keys)) return ['summary_keys is no array'];
  return [
    ...(keys[0] === name ? [] : [`summary_keys do not begin with ${name}`]),
    ...keys
      .filter((key, index) => !/^\w+$/.test(String(key)) || keys.indexOf(key) !== index)
      .map((key) => `summary_keys: ${JSON.stringify(key)} is no plain key, or is there twice`),
  ];
}

function checkEntry(hook: string, entry: Json | undefined, words: Vocabulary): string[] {
  if (!isObject(entry)) return [`${hook} is no object`];
  const { event_type: type, status, ends_call: ends, connect } = entry;
  // What EVT-03 says when an event says none.
  const absent = type === 'error' ? 'error' : 'success';
  return [
    ...unknownKeys(entry, ENTRY_KEYS, `${hook}: `),
    ...oneOf(type, words.event_types, `${hook}: event_type`),
    ...(status === undefined ? [] : oneOf(status, words.statuses, `${hook}: status`)),
    ...(status === absent ? [`${hook}: status ${absent} is what EVT-03 says`] : []),
    ...(['undefined', 'boolean'].includes(typeof ends) ? [] : [`${hook}: ends_call is no boolean`]),
    ...(connect === undefined ? [] : oneOf(connect, CONNECTS, `${hook}: connect`)),
  ];
}

function oneOf(value: Json | undefined, words: readonly string[] = [], where: string): string[] {
  const known = typeof value === 'string' && words.includes(value);
  return known ? [] : [`${where} ${JSON.stringify(value)} is none of ${words.join(' ')}`];
}

function unknownKeys(value: JsonObject, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}${key} means nothing`);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
