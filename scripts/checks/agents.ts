/**
 * Checks the mappings in `contract/agents` against the vocabulary and the fields of events (rules OTL-05 to OTL-09).
 *
 * A wrong word would stop both servers at their start. This check reports its place without a server.
 */
import type { Fields } from '../contract/fields.ts';
import type { Json, JsonObject } from '../contract-facts.ts';
import { checkSame, isObject, oneOf, texts, unknownKeys } from './shape.ts';

const KEYS = [
  ...['about', 'agent_type', 'captured', 'not_captured', 'scopes', 'services', 'attribute_prefix'],
  ...['agent_type_keys', 'name_keys', 'name_prefix', 'dropped_keys', 'fields', 'event_id', 'logs', 'spans'],
];
const ENTRY_KEYS = ['when', 'event_type', 'status', 'same', 'fields'];
const FIELD_KEYS = ['field', 'keys', 'plus', 'less'];
const STATUS_KEYS = ['key', 'error', 'error_unless'];
const NOISE = 'noise';
const ID_KEYS = ['$trace_id', '$span_id', '$parent_span_id'];
const PARENT = '$parent.';
/** The source of every event of telemetry. */
const SOURCE = 'otel';
/** Fields that other parts of the mapping supply. */
const FIXED = ['agent_type', 'source_event', 'event_id'];

/** The words that events may have. */
interface Words {
  readonly event_types?: readonly string[];
  readonly sources?: readonly string[];
}

/** Returns the problems of one mapping, by its name below `contract/`. */
export function checkAgent(name: string, mapping: Json, vocabulary: Json, fields: Fields): string[] {
  if (!isObject(mapping)) return [`${name} is no object`];
  const words = vocabulary as Words;
  const { scopes, services, attribute_prefix: prefix, agent_type_keys: typeKeys = [] } = mapping;
  const isKnown = [scopes, services].some((list) => Array.isArray(list) && list.length > 0);
  const problems = [
    ...unknownKeys(mapping, KEYS, ''),
    ...(typeof mapping.agent_type === 'string' && mapping.agent_type !== '' ? [] : ['agent_type is no text']),
    ...(typeof mapping.name_prefix === 'string' ? [] : ['name_prefix is no text']),
    ...['scopes', 'services', 'name_keys', 'dropped_keys', 'event_id', 'not_captured'].flatMap((key) =>
      texts(mapping[key], key),
    ),
    ...texts(typeKeys, 'agent_type_keys'),
    ...(isKnown || (typeof prefix === 'string' && prefix !== '')
      ? []
      : ['nothing says which records it is of']),
    ...oneOf(SOURCE, words.sources, 'source'),
    ...checkCaptured(mapping),
    ...checkFields(mapping.fields, fields, '', true),
    ...(hasSession(mapping.fields) ? [] : ['fields have no session_id']),
    ...[mapping.name_keys, mapping.event_id, typeKeys].flatMap((keys) => checkKeys(keys, '', false)),
    ...['logs', 'spans'].flatMap((signal) => checkEntries(signal, mapping[signal], words, fields)),
  ];
  return problems.map((text) => `${name}: ${text}`);
}

/**
 * Checks the version of the captured agent, which may be null. Names that were not captured must be in the mapping,
 * with or without the prefix.
 */
function checkCaptured(mapping: JsonObject): string[] {
  const { captured, not_captured: missing, name_prefix: prefix } = mapping;
  const names = ['logs', 'spans'].flatMap((signal) =>
    Object.keys(isObject(mapping[signal]) ? mapping[signal] : {}),
  );
  const known = new Set(['*', ...names, ...names.map((name) => `${String(prefix)}${name}`)]);
  return [
    ...(captured === null || typeof captured === 'string' ? [] : ['captured is neither a version nor null']),
    ...(captured === null && JSON.stringify(missing) !== '["*"]'
      ? ['nothing was captured, so not_captured is ["*"]']
      : []),
    ...(Array.isArray(missing) ? missing : [])
      .filter((name) => !known.has(String(name)))
      .map((name) => `not_captured: ${String(name)} is no name of a record`),
  ];
}

function hasSession(list: Json | undefined): boolean {
  return Array.isArray(list) && list.some((field) => isObject(field) && field.field === 'session_id');
}

function checkEntries(signal: string, entries: Json | undefined, words: Words, fields: Fields): string[] {
  if (!isObject(entries)) return [`${signal} is no object`];
  return Object.entries(entries).flatMap(([name, list]) => {
    const where = `${signal}: ${name}`;
    if (list === NOISE) return [];
    if (!Array.isArray(list) || list.length === 0) return [`${where} is neither noise nor a list of entries`];
    const always = list.findIndex(
      (entry) => entry === NOISE || (isObject(entry) && entry.when === undefined),
    );
    return [
      ...(always >= 0 && always < list.length - 1 ? [`${where}: an entry without when is the last`] : []),
      ...list.flatMap((entry) => checkEntry(where, signal, entry, words, fields)),
    ];
  });
}

function checkEntry(where: string, signal: string, entry: Json, words: Words, fields: Fields): string[] {
  if (entry === NOISE) return [];
  if (!isObject(entry)) return [`${where}: ${JSON.stringify(entry)} is no entry`];
  const { when = {}, status, same } = entry;
  const isSpan = signal === 'spans';
  return [
    ...unknownKeys(entry, ENTRY_KEYS, `${where}: `),
    ...oneOf(entry.event_type, words.event_types, `${where}: event_type`),
    ...(isObject(when) && Object.values(when).every((text) => typeof text === 'string')
      ? checkKeys(Object.keys(when), `${where}: `, isSpan)
      : [`${where}: when is no object of texts`]),
    ...(status === undefined ? [] : checkStatus(`${where}: status`, status, isSpan)),
    ...(same === undefined ? [] : checkSame(same, `${where}: same`)),
    ...(entry.fields === undefined ? [] : checkFields(entry.fields, fields, `${where}: `, isSpan)),
  ];
}

/** Checks a status: one list of texts that mean an error, or one list of texts that mean success. */
function checkStatus(where: string, status: Json, isSpan: boolean): string[] {
  if (!isObject(status)) return [`${where} is no object`];
  const lists = [status.error, status.error_unless].filter((list) => list !== undefined);
  return [
    ...unknownKeys(status, STATUS_KEYS, `${where}: `),
    ...checkKeys([status.key ?? null], `${where}: `, isSpan),
    ...(lists.length === 1 ? texts(lists[0], where) : [`${where} needs error or error_unless`]),
  ];
}

function checkFields(list: Json | undefined, fields: Fields, where: string, isSpan: boolean): string[] {
  if (!Array.isArray(list)) return [`${where}fields is no array`];
  return list.flatMap((source) => {
    if (!isObject(source)) return [`${where}${JSON.stringify(source)} is no field`];
    const { field, keys, plus = [], less = [] } = source;
    const kind = fields.fields[String(field)]?.kind;
    const isSum = [plus, less].some((keys) => !Array.isArray(keys) || keys.length > 0);
    const isRight = kind === 'integer' || (!isSum && (kind === 'text' || kind === 'dollars'));
    return [
      ...unknownKeys(source, FIELD_KEYS, `${where}${String(field)}: `),
      ...(isRight && !FIXED.includes(String(field))
        ? []
        : [`${where}${String(field)} cannot come from a key`]),
      ...(Array.isArray(keys) && keys.length > 0 ? [] : [`${where}${String(field)} has no keys`]),
      ...[keys, plus, less].flatMap((keys) => checkKeys(keys, `${where}${String(field)}: `, isSpan)),
    ];
  });
}

/** Checks keys of attributes. Keys with `$` refer to an id or to the parent, which only spans have. */
function checkKeys(keys: Json | undefined, where: string, isSpan: boolean): string[] {
  if (!Array.isArray(keys)) return [];
  return keys
    .filter((key) => {
      if (typeof key !== 'string' || key === '') return true;
      if (!key.startsWith('$') || ID_KEYS.includes(key)) return false;
      return !isSpan || !key.startsWith(PARENT) || key === PARENT;
    })
    .map((key) => `${where}${JSON.stringify(key)} is no key`);
}
