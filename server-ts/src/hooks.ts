/**
 * Turns an agent's hook into an event, as `contract/hooks` says (rules HOK-01 to HOK-03).
 *
 * Pure. A payload is nobody's schema, so nothing in it is refused: what a field's own rule does not let through
 * counts as absent, and the whole object stays as metadata. Only what is no object is a problem.
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
import { keyIs, visitMembers } from './json.ts';
import { OPEN_OBJECT, QUOTE } from './scanner.ts';
import { sameId } from './telemetry/event-id.ts';
import { decodeString } from './text.ts';
import { truncatePayload } from './truncate.ts';
import { NO_CHANGE, WAIT_KEYS, type WaitRule, waitRules } from './waits.ts';

/** An entry of the mapping, its words by their places in the vocabulary. */
interface Meaning {
  readonly eventType: number;
  readonly status: number;
  /** The hook's name; nothing for any other. */
  readonly name: string | undefined;
  readonly waits: readonly WaitRule[];
  /** What other events it is one with (rule OTL-09). */
  readonly same: Same | undefined;
}

/** Where a field comes from. */
interface Source extends Omit<HookField, 'field'> {
  readonly field: FieldSpec;
  readonly keyBytes: Buffer;
}

/** A file of `hooks/`, as far as it concerns a server. */
export interface Mapping {
  readonly nameKey: Buffer;
  readonly agentType: string;
  readonly source: number;
  readonly fields: readonly Source[];
  /** What a summary of a payload begins with. */
  readonly summaryKeys: readonly Buffer[];
  readonly hooks: ReadonlyMap<string, Meaning>;
  readonly other: Meaning;
  /** Where hooks name what they are about. */
  readonly sameKeys: readonly string[];
  readonly sameKeyBytes: readonly Buffer[];
}

const WAIT_KEY_BYTES = WAIT_KEYS.map((key) => Buffer.from(key));
const PREFIX = '/api/hooks/';
const MAPPINGS: ReadonlyMap<string, Mapping> = new Map(
  Object.entries(HOOK_FILES).map(([name, spec]) => [`${PREFIX}${name}`, mappingFrom(spec)]),
);

/** The mapping of the route that has this path. */
export function mappingOf(path: string): Mapping {
  return MAPPINGS.get(path)!;
}

/**
 * Reads a payload that was scanned as one event; it becomes the next row of the table. What is no object has that
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
  const { meaning, spans, waitSpans, sameSpans } = locate(mapping, raw, table.body, item);
  mapping.fields.forEach((source, at) => {
    if (!isOf(source, meaning)) return;
    raw.put(item, source.field.name, spans[2 * at]!, spans[2 * at + 1]!);
    readField(checker, source);
  });
  table.putText(int + FIELD.agent_type.column, mapping.agentType);
  const id = eventIdOf(meaning, mapping.agentType, table, (key) => {
    const at = 2 * mapping.sameKeys.indexOf(key);
    return stringAt(table.body, sameSpans[at]!, sameSpans[at + 1]!);
  });
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
  ints[int + WAIT] = waitOf(meaning, (key) => {
    const at = 2 * WAIT_KEYS.indexOf(key);
    return stringAt(table.body, waitSpans[at]!, waitSpans[at + 1]!);
  });
  table.count++;
  return undefined;
}

/** Gives every field of the next row the value that it has when it is absent; the memory has been used before. */
function setAbsent({ count, ints, numbers }: EventTable): void {
  ints.fill(0, count * INT_WIDTH, (count + 1) * INT_WIDTH);
  for (const { kind, column, absent } of FIELD_SPECS) {
    const isNumber = kind === 'integer' || kind === 'dollars' || kind === 'timestamp';
    if (isNumber) numbers[count * NUMBER_WIDTH + column] = absent;
  }
}

/** What follows the last `/` or `\`, once such characters were dropped from the end. */
export function lastSegment(path: string): string {
  let end = path.length;
  while (end > 0 && isSeparator(path[end - 1]!)) end--;
  let start = end;
  while (start > 0 && !isSeparator(path[start - 1]!)) start--;
  return path.slice(start, end);
}

/** Where the values of the mapping's keys lie, a start and an end each, and what the hook's name means. */
interface Located {
  readonly meaning: Meaning;
  readonly spans: readonly number[];
  readonly waitSpans: readonly number[];
  readonly sameSpans: readonly number[];
}

/** Finds them; of a key given twice the last. */
function locate(mapping: Mapping, raw: RawEvents, body: Buffer, item: number): Located {
  const { nameKey, fields, hooks, other, sameKeyBytes } = mapping;
  for (const { field } of fields) raw.put(item, field.name, 0, 0);
  const spans = Array.from({ length: 2 * fields.length }, () => 0);
  const waitSpans = Array.from({ length: 2 * WAIT_KEYS.length }, () => 0);
  const sameSpans = Array.from({ length: 2 * sameKeyBytes.length }, () => 0);
  let meaning = other;
  visitMembers(body, raw.spans[item]!, (keyStart, keyEnd, start, end) => {
    const note = (list: number[], at: number): void => {
      list[2 * at] = start;
      list[2 * at + 1] = end;
    };
    if (keyIs(body, keyStart, keyEnd, nameKey)) {
      const name = stringAt(body, start, end);
      meaning = (name === undefined ? undefined : hooks.get(name)) ?? other;
    }
    fields.forEach(({ keyBytes }, at) => {
      if (keyIs(body, keyStart, keyEnd, keyBytes)) note(spans, at);
    });
    WAIT_KEY_BYTES.forEach((key, at) => {
      if (keyIs(body, keyStart, keyEnd, key)) note(waitSpans, at);
    });
    sameKeyBytes.forEach((key, at) => {
      if (keyIs(body, keyStart, keyEnd, key)) note(sameSpans, at);
    });
  });
  return { meaning, spans, waitSpans, sameSpans };
}

/** The text of a string; nothing for any other value. */
function stringAt(body: Buffer, start: number, end: number): string | undefined {
  return start !== 0 && body[start] === QUOTE ? decodeString(body, start + 1, end - 1) : undefined;
}

/** Whether hooks of this meaning have the field. */
function isOf({ hooks }: Source, { name }: Meaning): boolean {
  return hooks === undefined || (name !== undefined && hooks.includes(name));
}

/** The place of what a hook means for waits: of the first rule that its payload meets (rule WAI-01). */
function waitOf({ waits }: Meaning, valueAt: (key: string) => string | undefined): number {
  const rule = waits.find(({ key, values }) => key === undefined || values.includes(valueAt(key) ?? ''));
  return rule?.change ?? NO_CHANGE;
}

/** The id of the event that agrees with the telemetry of the same thing; nothing where the hook names none. */
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

/** Puts one field into its column, by its own rule; what breaks it counts as absent. */
function readField(checker: Checker, source: Source): void {
  const { table } = checker;
  const { field } = source;
  const { ints } = table;
  const column = table.count * INT_WIDTH + field.column;
  const [start, end] = [ints[column]!, ints[column + 1]!];
  checker.problems = undefined;
  if (source.take === undefined) checker.value(field);
  else checker.partOfText(field, lastSegment);
  // A number with a problem is NaN already.
  if (field.kind !== 'text') return;
  if (checker.problems === undefined && ints[column] !== ints[column + 1]) return;
  // What an earlier source of the field gave stays.
  ints[column] = start;
  ints[column + 1] = end;
  if (start === end && source.default !== undefined) table.putText(column, source.default);
}

/** Throws where the file says what no event can have. */
function mappingFrom(spec: HookSpec): Mapping {
  const { agent_type: agentType } = spec;
  const hooks = new Map(
    Object.entries(spec.hooks).map(([name, entry]) => [name, meaningOf(agentType, name, entry)]),
  );
  const fields = spec.fields.map(sourceOf);
  // An event without a session cannot be stored.
  if (!fields.some(({ field, default: otherwise }) => field === FIELD.session_id && otherwise !== undefined))
    throw new Error('hooks must have a default for session_id');
  const sameKeys = [...new Set([...hooks.values()].flatMap(({ same }) => same?.key ?? []))];
  return {
    nameKey: Buffer.from(spec.name_key),
    agentType,
    source: VOCABULARY.sources.indexOf(spec.source),
    fields,
    summaryKeys: spec.summary_keys.map((key) => Buffer.from(key)),
    hooks,
    other: meaningOf(agentType, undefined, spec.other),
    sameKeys,
    sameKeyBytes: sameKeys.map((key) => Buffer.from(key)),
  };
}

/** Throws where the mapping says what no event can have. */
function sourceOf(source: HookField): Source {
  const field = FIELD_SPECS.find(({ name }) => name === source.field);
  if (field === undefined) throw new Error(`hooks cannot give ${source.field}`);
  if (source.take !== undefined && source.take !== 'last_segment')
    throw new Error(`hooks cannot take ${source.take}`);
  const isBare = source.take === undefined && source.default === undefined;
  // A problem of a number makes it null, so only those that may be null can come from a hook.
  const isNumber = field.kind === 'integer' || field.kind === 'dollars' || field.kind === 'timestamp';
  if (field.kind !== 'text' && !(isNumber && isBare && Number.isNaN(field.absent)))
    throw new Error(`hooks cannot give ${source.field}`);
  return { ...source, field, keyBytes: Buffer.from(source.key) };
}

function isSeparator(character: string): boolean {
  return character === '/' || character === '\\';
}

function meaningOf(agentType: string, name: string | undefined, entry: HookEntry): Meaning {
  const { event_type: eventType } = entry;
  // Rule EVT-03, where the entry says nothing else.
  const status = entry.status ?? (eventType === 'error' ? 'error' : 'success');
  const indexes = [VOCABULARY.event_types.indexOf(eventType), VOCABULARY.statuses.indexOf(status)] as const;
  if (indexes.includes(-1)) throw new Error(`hooks cannot mean ${eventType} and ${status}`);
  return {
    eventType: indexes[0],
    status: indexes[1],
    name,
    waits: name === undefined ? [] : waitRules(agentType, name),
    same: entry.same,
  };
}
