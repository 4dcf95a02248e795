/**
 * Checks the mappings in `contract/hooks` against the vocabulary and the event (rule HOK-02).
 *
 * Why: both servers trust a mapping when they start. They do not validate hooks as events, so they would store a word
 * that no event may have.
 * Invariant: a problem names the place of the wrong word. The check knows nothing of servers.
 */
import type { Json, JsonObject } from '../contract-facts.ts';
import { checkSame, isObject, listOf, oneOf, unknownKeys } from './shape.ts';

interface Vocabulary {
  readonly event_types?: readonly string[];
  readonly statuses?: readonly string[];
  readonly sources?: readonly string[];
  readonly waiting_reasons?: readonly string[];
}

const KEYS = [
  'about',
  'name_key',
  'agent_type',
  'source',
  'captured',
  'not_captured',
  'fields',
  'summary_keys',
  'hooks',
  'other',
  'waits',
];
const ENTRY_KEYS = ['event_type', 'status', 'same', 'connect'];
const FIELD_KEYS = ['field', 'key', 'take', 'default', 'hooks'];
const WAIT_KEYS = ['ends', 'reminds', 'begins'];
const BEGIN_KEYS = ['reason', 'key', 'values'];
const ENDS = ['agent', 'session'];
const TAKES = ['last_segment'];
const CONNECTS = ['http', 'command'];

/** Returns the problems of one mapping, by its name below `contract/`. `event` is `event.schema.json`. */
export function checkHooks(name: string, mapping: Json, vocabulary: Json, event: Json): string[] {
  if (!isObject(mapping)) return [`${name} is no object`];
  const words = vocabulary as Vocabulary;
  const { source, fields, hooks, other, waits = {} } = mapping;
  const names = isObject(hooks) ? Object.keys(hooks) : [];
  const problems = [
    ...unknownKeys(mapping, KEYS, ''),
    ...['name_key', 'agent_type']
      .filter((key) => typeof mapping[key] !== 'string' || mapping[key] === '')
      .map((key) => `${key} is no text`),
    ...oneOf(source, words.sources, 'source'),
    ...(Array.isArray(fields)
      ? fields.flatMap((field) => checkField(field, event, names))
      : ['fields is no array']),
    ...checkSummaryKeys(mapping.summary_keys, mapping.name_key),
    ...(isObject(hooks)
      ? Object.entries(hooks).flatMap(([hook, entry]) => checkEntry(hook, entry, words))
      : ['hooks is no object']),
    ...checkEntry('other', other, words),
    ...(isObject(waits)
      ? Object.entries(waits).flatMap(([hook, entry]) => checkWaits(hook, entry, names, words))
      : ['waits is no object']),
    ...checkSames(hooks, waits),
  ];
  // Only fields that apply to all hooks count: for some hooks a field may come from another key.
  const everywhere = (Array.isArray(fields) ? fields : []).filter((field) => isObject(field) && !field.hooks);
  const named = everywhere.map((field) => (field as JsonObject).field);
  const twice = named.filter((field, index) => named.indexOf(field) !== index);
  return [...problems, ...twice.map((field) => `${field} is taken twice`)].map((text) => `${name}: ${text}`);
}

function checkField(field: Json, event: Json, names: readonly string[]): string[] {
  if (!isObject(field)) return [`${JSON.stringify(field)} is no field`];
  const { properties } = event as { properties?: JsonObject };
  const where = String(field.field);
  return [
    ...unknownKeys(field, FIELD_KEYS, `${where}: `),
    ...oneOf(field.field, Object.keys(properties ?? {}), 'field'),
    ...(typeof field.key === 'string' ? [] : [`${where}: key is no text`]),
    ...(field.take === undefined ? [] : oneOf(field.take, TAKES, `${where}: take`)),
    ...(field.hooks === undefined ? [] : listOf(field.hooks, names, `${where}: hooks`)),
    ...(['undefined', 'string'].includes(typeof field.default) ? [] : [`${where}: default is no text`]),
  ];
}

/**
 * Checks the keys of summaries. The name comes first, so that every limit has room for it. Servers write these keys
 * without escaping.
 */
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
  const { event_type: type, status, same, connect } = entry;
  // The default status of rule EVT-03.
  const absent = type === 'error' ? 'error' : 'success';
  return [
    ...unknownKeys(entry, ENTRY_KEYS, `${hook}: `),
    ...oneOf(type, words.event_types, `${hook}: event_type`),
    ...(status === undefined ? [] : oneOf(status, words.statuses, `${hook}: status`)),
    ...(status === absent ? [`${hook}: status ${absent} is what EVT-03 says`] : []),
    ...(same === undefined ? [] : checkSame(same, `${hook}: same`)),
    ...(connect === undefined ? [] : oneOf(connect, CONNECTS, `${hook}: connect`)),
  ];
}

/** Checks hooks with `same`: servers recognise them by their effect on waits (rule HOK-04). */
function checkSames(hooks: Json | undefined, waits: Json): string[] {
  const entries = isObject(hooks) ? Object.entries(hooks) : [];
  return entries
    .filter(
      ([hook, entry]) =>
        isObject(entry) && isObject(entry.same) && isObject(waits) && !Object.hasOwn(waits, hook),
    )
    .map(([hook]) => `${hook}: same needs an entry in waits`);
}

/**
 * Checks a hook's effect on waits (rule WAI-01): only the last rule may lack a key, since it matches every payload.
 */
function checkWaits(hook: string, entry: Json, names: readonly string[], words: Vocabulary): string[] {
  const where = `waits: ${hook}`;
  if (!isObject(entry)) return [`${where} is no object`];
  const { ends, reminds, begins = [] } = entry;
  return [
    ...oneOf(hook, names, 'waits: hook'),
    ...unknownKeys(entry, WAIT_KEYS, `${where}: `),
    ...(ends === undefined ? [] : oneOf(ends, ENDS, `${where}: ends`)),
    ...(['undefined', 'boolean'].includes(typeof reminds) ? [] : [`${where}: reminds is no boolean`]),
    ...(Array.isArray(begins)
      ? begins.flatMap((begin, at) => checkBegin(where, begin, at === begins.length - 1, words))
      : [`${where}: begins is no array`]),
  ];
}

function checkBegin(where: string, begin: Json, isLast: boolean, words: Vocabulary): string[] {
  if (!isObject(begin)) return [`${where}: ${JSON.stringify(begin)} begins nothing`];
  const { reason, key, values } = begin;
  const isKeyed = typeof key === 'string' && Array.isArray(values) && values.length > 0;
  const isBare = key === undefined && values === undefined;
  return [
    ...unknownKeys(begin, BEGIN_KEYS, `${where}: `),
    ...oneOf(reason, words.waiting_reasons, `${where}: reason`),
    ...(isKeyed || (isBare && isLast) ? [] : [`${where}: ${reason} needs a key and its values`]),
  ];
}
