/**
 * Turns an agent's hook into an event, as `contract/hooks` says (rules HOK-01 to HOK-03).
 *
 * Pure. A payload is nobody's schema, so nothing in it is refused: what a field's own rule does not let through
 * counts as absent, and the whole object stays as metadata. Only what is no object is a problem.
 */
import { CLAUDE_CODE, type HookEntry, type HookField, VOCABULARY } from './contract.ts';
import {
  type EventTable,
  FIELDS,
  type FieldError,
  type FieldName,
  INT,
  INT_WIDTH,
  NUMBER,
  NUMBER_WIDTH,
  type RawEvents,
} from './event.ts';
import { Checker } from './fields.ts';
import { keyIs, visitMembers } from './json.ts';
import { OPEN_OBJECT, QUOTE } from './scanner.ts';
import { decodeString } from './text.ts';
import { truncatePayload } from './truncate.ts';

/** The columns of the fields that a mapping may name. */
const TEXT_COLUMNS: Readonly<Record<string, number>> = {
  session_id: INT.sessionId,
  tool_name: INT.toolName,
  branch: INT.branch,
  project: INT.project,
  model: INT.model,
};
const INTEGER_COLUMNS: Readonly<Record<string, number>> = { duration_ms: NUMBER.durationMs };

/** Absent is null there, and 0 in the others (rules EVT-05 to EVT-08). */
const NO_NUMBERS = [NUMBER.durationMs, NUMBER.costNanos, NUMBER.clientTimestamp];

/** An entry of the mapping, its words by their places in the vocabulary. */
interface Meaning {
  readonly eventType: number;
  readonly status: number;
  readonly endsCall: boolean;
}

/** Where a field comes from. */
interface Source extends HookField {
  readonly field: FieldName;
  readonly keyBytes: Buffer;
}

const NAME_KEY = Buffer.from(CLAUDE_CODE.name_key);
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(CLAUDE_CODE.hooks).map(([name, entry]) => [name, meaningOf(entry)]),
);
const OTHER = meaningOf(CLAUDE_CODE.other);
const SOURCES: readonly Source[] = CLAUDE_CODE.fields.map((source) => {
  const field = FIELDS.find((name) => name === source.field);
  if (field === undefined || !(field in TEXT_COLUMNS || field in INTEGER_COLUMNS)) {
    throw new Error(`hooks cannot give ${source.field}`);
  }
  if (source.take !== undefined && source.take !== 'last_segment') {
    throw new Error(`hooks cannot take ${source.take}`);
  }
  return { ...source, field, keyBytes: Buffer.from(source.key) };
});
/** What a summary of a payload begins with. */
const SUMMARY_KEYS = CLAUDE_CODE.summary_keys.map((key) => Buffer.from(key));
const SOURCE = VOCABULARY.sources.indexOf(CLAUDE_CODE.source);

/**
 * Reads a payload that was scanned as one event; it becomes the next row of the table. What is no object has that
 * problem.
 */
export function readHook(
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
  const number = table.count * NUMBER_WIDTH;
  const { ints, numbers } = table;
  // The memory has been used before.
  ints.fill(0, int, int + INT_WIDTH);
  numbers.fill(0, number, number + NUMBER_WIDTH);
  for (const absent of NO_NUMBERS) numbers[number + absent] = Number.NaN;
  const meaning = locate(raw, table.body, item);
  for (const source of SOURCES) readField(checker, source, meaning);
  table.putText(int + INT.agentType, CLAUDE_CODE.agent_type);
  ints[int + INT.eventType] = meaning.eventType;
  ints[int + INT.status] = meaning.status;
  ints[int + INT.source] = SOURCE;
  const end = raw.spans[item + 1]!;
  const summary = truncatePayload(table.body, start, end, maxMetadataBytes, SUMMARY_KEYS);
  ints[int + INT.metadata] = start;
  ints[int + INT.metadata + 1] = end;
  if (summary !== undefined) table.putText(int + INT.metadata, summary);
  ints[int + INT.truncated] = summary === undefined ? 0 : 1;
  table.count++;
  return undefined;
}

/** What follows the last `/` or `\`, once such characters were dropped from the end. */
export function lastSegment(path: string): string {
  let end = path.length;
  while (end > 0 && isSeparator(path[end - 1]!)) end--;
  let start = end;
  while (start > 0 && !isSeparator(path[start - 1]!)) start--;
  return path.slice(start, end);
}

/** Finds the values of the mapping's keys, of a key given twice the last, and what the hook's name means. */
function locate(raw: RawEvents, body: Buffer, item: number): Meaning {
  for (const { field } of SOURCES) raw.put(item, field, 0, 0);
  let meaning = OTHER;
  visitMembers(body, raw.spans[item]!, (keyStart, keyEnd, start, end) => {
    if (keyIs(body, keyStart, keyEnd, NAME_KEY)) {
      const name = body[start] === QUOTE ? decodeString(body, start + 1, end - 1) : undefined;
      meaning = (name === undefined ? undefined : MEANINGS.get(name)) ?? OTHER;
    }
    for (const { field, keyBytes } of SOURCES) {
      if (keyIs(body, keyStart, keyEnd, keyBytes)) raw.put(item, field, start, end);
    }
  });
  return meaning;
}

/** Puts one field into its column, by its own rule; what breaks it counts as absent. */
function readField(checker: Checker, source: Source, meaning: Meaning): void {
  const { table } = checker;
  const { field } = source;
  checker.problems = undefined;
  const integer = INTEGER_COLUMNS[field];
  if (integer !== undefined) {
    table.numbers[table.count * NUMBER_WIDTH + integer] = checker.integer(field, Number.NaN);
    return;
  }
  const column = table.count * INT_WIDTH + TEXT_COLUMNS[field]!;
  if (source.take === undefined) checker.text(field, column, false);
  else checker.partOfText(field, column, lastSegment);
  const isRefused = checker.problems !== undefined || (field === 'tool_name' && !meaning.endsCall);
  if (isRefused) table.ints.fill(0, column, column + 2);
  if (table.ints[column] === table.ints[column + 1] && source.default !== undefined) {
    table.putText(column, source.default);
  }
}

function isSeparator(character: string): boolean {
  return character === '/' || character === '\\';
}

function meaningOf(entry: HookEntry): Meaning {
  const { event_type: eventType, ends_call: endsCall = false } = entry;
  // Rule EVT-03, where the entry says nothing else.
  const status = entry.status ?? (eventType === 'error' ? 'error' : 'success');
  const indexes = [VOCABULARY.event_types.indexOf(eventType), VOCABULARY.statuses.indexOf(status)] as const;
  if (indexes.includes(-1)) throw new Error(`hooks cannot mean ${eventType} and ${status}`);
  return { eventType: indexes[0], status: indexes[1], endsCall };
}
