/**
 * Checks the mappings in `contract/transcripts` against the vocabulary and the fields of events.
 *
 * A wrong word would make the server refuse each such event of an import. This check reports its place.
 */
import type { Fields } from '../contract/fields.ts';
import type { Json, JsonObject } from '../contract-facts.ts';
import { isObject, listOf, oneOf, texts, unknownKeys } from './shape.ts';

const KEYS = [
  ...['about', 'agent_type', 'captured', 'not_captured', 'folder', 'name_keys', 'time_key', 'line_key'],
  ...['copies_keep_line_key', 'context', 'start', 'end', 'lines'],
];
const CONTEXT_KEYS = ['field', 'key', 'take', 'lines', 'first'];
const ENTRY_KEYS = [
  ...[
    'when',
    'unless',
    'unless_seen',
    'each',
    'call',
    'key',
    'gather',
    'since',
    'event_type',
    'status',
    'same',
  ],
  ...['match', 'fields', 'metadata'],
];
const FIELD_KEYS = ['field', 'keys', 'less'];
const NOISE = 'noise';
const CALLS = ['begin', 'end'];
const TAKES = ['last_segment'];

/** The words that events may have. */
interface Words {
  readonly event_types?: readonly string[];
  readonly sources?: readonly string[];
}

/** Returns the problems of one mapping, by its name below `contract/`. */
export function checkTranscripts(name: string, mapping: Json, vocabulary: Json, fields: Fields): string[] {
  if (!isObject(mapping)) return [`${name} is no object`];
  const words = vocabulary as Words;
  const { lines, context, start, end, not_captured: missing, folder } = mapping;
  const names = isObject(lines) ? Object.keys(lines) : [];
  const problems = [
    ...unknownKeys(mapping, KEYS, ''),
    ...['agent_type', 'captured', 'time_key']
      .filter((key) => typeof mapping[key] !== 'string' || mapping[key] === '')
      .map((key) => `${key} is no text`),
    ...texts(mapping.name_keys, 'name_keys'),
    ...(isObject(folder) ? texts(Object.values(folder), 'folder') : ['folder is no object']),
    ...listOf(missing ?? null, names, 'not_captured'),
    ...(Array.isArray(context)
      ? context.flatMap((rule) => checkContext(rule, names, fields))
      : ['context is no array']),
    ...checkEntry('start', start, words, fields, names),
    ...checkEntry('end', end, words, fields, names),
    ...Object.entries(isObject(lines) ? lines : {}).flatMap(([line, entries]) => {
      if (entries === NOISE) return [];
      if (!Array.isArray(entries)) return [`${line} is neither ${NOISE} nor an array`];
      return entries.flatMap((entry) => checkEntry(line, entry, words, fields, names));
    }),
  ];
  return problems.map((text) => `${name}: ${text}`);
}

function checkContext(rule: Json, names: readonly string[], { fields }: Fields): string[] {
  if (!isObject(rule)) return ['context holds no object'];
  return [
    ...unknownKeys(rule, CONTEXT_KEYS, 'context: '),
    ...oneOf(rule.field, Object.keys(fields), 'context: field'),
    ...(rule.take === undefined ? [] : oneOf(rule.take, TAKES, 'context: take')),
    ...(rule.lines === undefined ? [] : listOf(rule.lines, names, 'context: lines')),
  ];
}

function checkEntry(
  line: string,
  entry: Json | undefined,
  words: Words,
  fields: Fields,
  names: readonly string[],
): string[] {
  if (!isObject(entry)) return [`${line} holds no object`];
  const { call, event_type, same, match, since, unless_seen } = entry;
  return [
    ...unknownKeys(entry, ENTRY_KEYS, `${line}: `),
    ...(call === undefined ? [] : oneOf(call, CALLS, `${line}: call`)),
    ...(call === 'begin' ? [] : oneOf(event_type, words.event_types, `${line}: event_type`)),
    ...(unless_seen === undefined ? [] : oneOf(unless_seen, names, `${line}: unless_seen`)),
    ...(since === undefined || (isObject(since) && names.includes(String(since.name)))
      ? []
      : [`${line}: since names no line`]),
    ...(same === undefined || (isObject(same) && typeof same.kind === 'string')
      ? []
      : [`${line}: same has no kind`]),
    ...(isObject(same) ? texts(same.keys, `${line}: same`) : []),
    ...(match === undefined ? [] : checkMatch(match, line, words, fields)),
    ...(Array.isArray(entry.fields) ? entry.fields : []).flatMap((field) =>
      checkField(field, line, Object.keys(fields.fields)),
    ),
  ];
}

function checkMatch(match: Json, line: string, words: Words, { fields }: Fields): string[] {
  if (!isObject(match)) return [`${line}: match is no object`];
  return [
    ...listOf(match.sources ?? null, words.sources ?? [], `${line}: match`),
    ...listOf(match.fields ?? [], Object.keys(fields), `${line}: match`),
  ];
}

function checkField(field: Json, line: string, names: readonly string[]): string[] {
  if (!isObject(field)) return [`${line}: fields hold no object`];
  const known: JsonObject = field;
  return [
    ...unknownKeys(known, FIELD_KEYS, `${line}: `),
    ...oneOf(known.field, names, `${line}: field`),
    ...texts(known.keys, `${line}: keys`),
    ...texts(known.less ?? [], `${line}: less`),
  ];
}
