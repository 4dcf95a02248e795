/**
 * Turns an agent's hook into an event, as `contract/hooks` defines it (rules HOK-01 to HOK-03).
 *
 * Pure. The agent defines its payload, so the server refuses no content. A value that breaks its field's rule counts as
 * absent, and the metadata keeps the whole object. Only a payload that is not an object is a problem.
 *
 * Over 250 lines because it checks the words of the files and reads payloads by them.
 */
import {
  HOOK_FILES,
  type HookEntry,
  type HookField,
  type HookSpec,
  type Same,
  VOCABULARY,
} from './contract.ts';
import type { EventTable, FieldError, RawEvents } from './event.ts';
import { FIELD, FIELD_SPECS, type FieldSpec, INT_WIDTH, NUMBER_WIDTH, TRUNCATED, WAIT } from './field.ts';
import { Checker } from './fields.ts';
import { Keys, visitMembers } from './json.ts';
import { OPEN_OBJECT, QUOTE } from './scanner.ts';
import { sameId } from './telemetry/event-id.ts';
import { decodeString } from './text.ts';
import { truncatePayload } from './truncate.ts';
import { NO_CHANGE, WAIT_KEYS, type WaitRule, waitRules } from './waits.ts';

/** An entry of the mapping; words are indices into the vocabulary. */
interface Meaning {
  readonly eventType: number;
  readonly status: number;
  /** The hook's name; `undefined` for any other hook. */
  readonly name: string | undefined;
  readonly waits: readonly WaitRule[];
  /** The subject; another event with the same subject is a duplicate (rule OTL-09). */
  readonly same: Same | undefined;
}

/** The source of a field. */
interface Source extends Omit<HookField, 'field'> {
  readonly field: FieldSpec;
}

/** The parts of a file of `hooks/` that a server needs. */
export interface Mapping {
  readonly nameKey: string;
  readonly agentType: string;
  readonly source: number;
  readonly fields: readonly Source[];
  /** Keys at the start of a payload's summary. */
  readonly summaryKeys: Keys;
  readonly hooks: ReadonlyMap<string, Meaning>;
  readonly other: Meaning;
  /** Every key that the mapping reads, and the place of each in `keys`. */
  readonly keys: Keys;
  readonly places: ReadonlyMap<string, number>;
}

const PREFIX = '/api/hooks/';
const MAPPINGS: ReadonlyMap<string, Mapping> = new Map(
  Object.entries(HOOK_FILES).map(([name, spec]) => [`${PREFIX}${name}`, mappingFrom(spec)]),
);

/** Returns the mapping of the route with this path. */
export function mappingOf(path: string): Mapping {
  return MAPPINGS.get(path)!;
}

/**
 * Reads a scanned payload as one event, which becomes the next row of the table. A payload that is not an object is a
 * problem.
 */
export function readHook(
  mapping: Mapping,
  raw: RawEvents,
  table: EventTable,
  maxMetadataBytes: number,
): readonly FieldError[] | undefined {
  const item = raw.at(0);
  const start = raw.spans[item]!;
  if (table.body[start] !== OPEN_OBJECT) {
    return [{ field: 'body', message: VOCABULARY.field_messages.object }];
  }
  const checker = new Checker(raw, table);
  checker.item = item;
  const int = table.count * INT_WIDTH;
  const { ints } = table;
  setAbsent(table);
  const spans = locate(mapping, raw, table.body, item);
  const textOf = (key: string): string | undefined => {
    const at = 2 * mapping.places.get(key)!;
    return stringAt(table.body, spans[at]!, spans[at + 1]!);
  };
  const meaning = mapping.hooks.get(textOf(mapping.nameKey) ?? '') ?? mapping.other;
  for (const source of mapping.fields) {
    if (!isOf(source, meaning)) continue;
    const at = 2 * mapping.places.get(source.key)!;
    raw.put(item, source.field.name, spans[at]!, spans[at + 1]!);
    readField(checker, source);
  }
  table.putText(int + FIELD.agent_type.column, mapping.agentType);
  const id = eventIdOf(meaning, mapping.agentType, table, textOf);
  if (id !== undefined) table.putText(int + FIELD.event_id.column, id);
  ints[int + FIELD.event_type.column] = meaning.eventType;
  ints[int + FIELD.status.column] = meaning.status;
  ints[int + FIELD.source.column] = mapping.source;
  const end = raw.spans[item + 1]!;
  const summary = truncatePayload(table.body, start, end, maxMetadataBytes, mapping.summaryKeys);
  const metadata = int + FIELD.metadata.column;
  ints[metadata] = start;
  ints[metadata + 1] = end;
  if (summary !== undefined) table.putText(metadata, summary);
  ints[int + TRUNCATED] = summary === undefined ? 0 : 1;
  ints[int + WAIT] = waitOf(meaning, textOf);
  table.count++;
  return undefined;
}

/** Gives every field of the next row its absent value, since the memory is reused. */
function setAbsent({ count, ints, numbers }: EventTable): void {
  ints.fill(0, count * INT_WIDTH, (count + 1) * INT_WIDTH);
  for (const { kind, column, absent } of FIELD_SPECS) {
    const isNumber = kind === 'integer' || kind === 'dollars' || kind === 'timestamp';
    if (isNumber) numbers[count * NUMBER_WIDTH + column] = absent;
  }
}

/** Returns the text after the last `/` or `\`, ignoring such characters at the end. */
export function lastSegment(path: string): string {
  let end = path.length;
  while (end > 0 && isSeparator(path[end - 1]!)) end--;
  let start = end;
  while (start > 0 && !isSeparator(path[start - 1]!)) start--;
  return path.slice(start, end);
}

/** Returns the spans of the mapping's keys, a start and an end each; of equal keys the last counts. */
function locate({ fields, keys }: Mapping, raw: RawEvents, body: Buffer, item: number): readonly number[] {
  for (const { field } of fields) raw.put(item, field.name, 0, 0);
  const spans = Array.from({ length: 2 * keys.names.length }, () => 0);
  visitMembers(body, raw.spans[item]!, (keyStart, keyEnd, start, end) => {
    const at = 2 * keys.find(body, keyStart, keyEnd);
    if (at < 0) return;
    spans[at] = start;
    spans[at + 1] = end;
  });
  return spans;
}

/** Returns the text of a string; `undefined` for any other value. */
function stringAt(body: Buffer, start: number, end: number): string | undefined {
  return start !== 0 && body[start] === QUOTE ? decodeString(body, start + 1, end - 1) : undefined;
}

/** Returns whether hooks of this meaning have the field. */
function isOf({ hooks }: Source, { name }: Meaning): boolean {
  return hooks === undefined || (name !== undefined && hooks.includes(name));
}

/** Returns the index of a hook's effect on waits: that of the first rule that its payload meets (rule WAI-01). */
function waitOf({ waits }: Meaning, valueAt: (key: string) => string | undefined): number {
  const rule = waits.find(({ key, values }) => key === undefined || values.includes(valueAt(key) ?? ''));
  return rule?.change ?? NO_CHANGE;
}

/** Returns the event id that telemetry about the same subject has; `undefined` where the hook names no subject. */
function eventIdOf(
  { same }: Meaning,
  agentType: string,
  table: EventTable,
  valueAt: (key: string) => string | undefined,
): string | undefined {
  const value = same === undefined ? undefined : valueAt(same.key);
  if (value === undefined || value === '') return undefined;
  const sessionId = table.textAt(table.count * INT_WIDTH + FIELD.session_id.column);
  return sameId(same!, agentType, sessionId, value);
}

/** Puts one field into its column by its own rule; an invalid value counts as absent. */
function readField(checker: Checker, source: Source): void {
  const { table } = checker;
  const { field } = source;
  const { ints } = table;
  const column = table.count * INT_WIDTH + field.column;
  const [start, end] = [ints[column]!, ints[column + 1]!];
  checker.problems = undefined;
  if (source.take === undefined) checker.value(field);
  else checker.partOfText(field, lastSegment);
  // The checker has already set a number with a problem to NaN.
  if (field.kind !== 'text') return;
  if (checker.problems === undefined && ints[column] !== ints[column + 1]) return;
  // The value of an earlier source stays.
  ints[column] = start;
  ints[column + 1] = end;
  if (start === end && source.default !== undefined) table.putText(column, source.default);
}

/** Returns the mapping of a file; throws when the file names a value that no event can have. */
function mappingFrom(spec: HookSpec): Mapping {
  const { agent_type: agentType } = spec;
  const hooks = new Map(
    Object.entries(spec.hooks).map(([name, entry]) => [name, meaningOf(agentType, name, entry)]),
  );
  const fields = spec.fields.map(sourceOf);
  // The server cannot store an event without a session.
  if (!fields.some(({ field, default: otherwise }) => field === FIELD.session_id && otherwise !== undefined))
    throw new Error('hooks must have a default for session_id');
  const sameKeys = [...hooks.values()].flatMap(({ same }) => same?.key ?? []);
  const keys = [...new Set([spec.name_key, ...fields.map(({ key }) => key), ...WAIT_KEYS, ...sameKeys])];
  return {
    nameKey: spec.name_key,
    agentType,
    source: (VOCABULARY.sources as readonly string[]).indexOf(spec.source),
    fields,
    summaryKeys: new Keys(spec.summary_keys),
    hooks,
    other: meaningOf(agentType, undefined, spec.other),
    keys: new Keys(keys),
    places: new Map(keys.map((key, at) => [key, at])),
  };
}

/** Returns the source of a field; throws when the mapping names a value that no event can have. */
function sourceOf(source: HookField): Source {
  const field = FIELD_SPECS.find(({ name }) => name === source.field);
  if (field === undefined) throw new Error(`hooks cannot give ${source.field}`);
  if (source.take !== undefined && source.take !== 'last_segment')
    throw new Error(`hooks cannot take ${source.take}`);
  const isBare = source.take === undefined && source.default === undefined;
  // A problem of a number makes it null, so a hook may only fill numbers that may be null.
  const isNumber = field.kind === 'integer' || field.kind === 'dollars' || field.kind === 'timestamp';
  if (field.kind !== 'text' && !(isNumber && isBare && Number.isNaN(field.absent)))
    throw new Error(`hooks cannot give ${source.field}`);
  return { ...source, field };
}

function isSeparator(character: string): boolean {
  return character === '/' || character === '\\';
}

function meaningOf(agentType: string, name: string | undefined, entry: HookEntry): Meaning {
  const { event_type: eventType } = entry;
  // Rule EVT-03 applies where the entry gives no status.
  const status = entry.status ?? (eventType === 'error' ? 'error' : 'success');
  const { event_types: eventTypes, statuses }: Record<'event_types' | 'statuses', readonly string[]> =
    VOCABULARY;
  const indexes = [eventTypes.indexOf(eventType), statuses.indexOf(status)] as const;
  if (indexes.includes(-1)) throw new Error(`hooks cannot mean ${eventType} and ${status}`);
  return {
    eventType: indexes[0],
    status: indexes[1],
    name,
    waits: name === undefined ? [] : waitRules(agentType, name),
    same: entry.same,
  };
}
