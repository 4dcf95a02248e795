/**
 * From where an event's fields lie to what they come to, or to every problem that they have.
 *
 * Pure: no I/O, no clock, no state. Rules EVT-01 to EVT-14 and MET-01, MET-02; messages are those of the
 * vocabulary. The common case (no escapes, nothing to trim) touches bytes only and makes no string.
 *
 * Longer than most files: one check per kind of field, and the order in which they are made.
 */
import { fill, LIMITS, VOCABULARY } from './contract.ts';
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
import { nanosFromUsd, parseInteger, parseNumber } from './number.ts';
import { decodeString, trimText } from './text.ts';
import { parseTimestampBytes } from './timestamp.ts';
import { truncateMetadata } from './truncate.ts';

const MESSAGES = VOCABULARY.field_messages;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const EVENT_TYPES = VOCABULARY.event_types.map((word) => Buffer.from(word));
const STATUSES = VOCABULARY.statuses.map((word) => Buffer.from(word));
const SOURCES = VOCABULARY.sources.map((word) => Buffer.from(word));
const ERROR_TYPE = VOCABULARY.event_types.indexOf('error');
const ERROR_STATUS = VOCABULARY.statuses.indexOf('error');
const SUCCESS_STATUS = VOCABULARY.statuses.indexOf('success');
const API_SOURCE = VOCABULARY.sources.indexOf('api');

const SLOT = Object.fromEntries(FIELDS.map((name, index) => [name, 2 * index + 2])) as Record<
  FieldName,
  number
>;

/** The checks of one body; `problems` are those of the item in hand. */
class Checker {
  readonly body: Buffer;
  readonly spans: Int32Array;
  readonly table: EventTable;
  item = 0;
  problems: FieldError[] | undefined;

  constructor(raw: RawEvents, table: EventTable) {
    this.body = table.body;
    this.spans = raw.spans;
    this.table = table;
  }

  problem(field: FieldName, message: string): void {
    this.problems ??= [];
    this.problems.push({ field, message });
  }

  /** `null` counts as absent (rule EVT-10). */
  isAbsent(field: FieldName): boolean {
    const start = this.spans[this.item + SLOT[field]]!;
    return start === 0 || this.body[start] === 0x6e;
  }

  /** Text that is trimmed and bounded, into two columns; equal positions when it is absent. */
  text(field: FieldName, column: number, required: boolean): void {
    const { body, table } = this;
    const ints = table.ints;
    const slot = this.item + SLOT[field];
    let start = this.spans[slot]!;
    let end = this.spans[slot + 1]!;
    const first = body[start];
    if (first !== QUOTE || start === 0) {
      if (required) this.problem(field, MESSAGES.string);
      else if (start !== 0 && first !== 0x6e) this.problem(field, MESSAGES.string_when_provided);
      ints[column] = 0;
      ints[column + 1] = 0;
      return;
    }
    start++;
    end--;
    if (isPlain(body, start, end)) {
      ints[column] = start;
      ints[column + 1] = end;
    } else {
      const decoded = decodeString(body, start, end);
      if (decoded === undefined) {
        this.problem(field, MESSAGES.well_formed);
        return;
      }
      const trimmed = trimText(decoded);
      if (trimmed === '') {
        if (required) this.problem(field, MESSAGES.non_empty);
        ints[column] = 0;
        ints[column + 1] = 0;
        return;
      }
      table.putText(column, trimmed);
    }
    const limit = LIMITS.string_bytes[field as keyof typeof LIMITS.string_bytes];
    if (ints[column + 1]! - ints[column]! > limit) this.problem(field, fill(MESSAGES.max_bytes, { limit }));
  }

  /** The index of a word of the vocabulary; -1 when it is absent or none of them, which is then a problem. */
  choice(field: FieldName, words: readonly Buffer[], required: boolean): number {
    const { body } = this;
    const slot = this.item + SLOT[field];
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    if (body[start] !== QUOTE || start === 0) {
      if (required) this.problem(field, MESSAGES.string);
      else if (!this.isAbsent(field)) this.problem(field, MESSAGES.string_when_provided);
      return -1;
    }
    const exact = indexOfWord(body, start + 1, end - 1, words);
    if (exact >= 0) return exact;
    const decoded = decodeString(body, start + 1, end - 1);
    if (decoded === undefined) {
      this.problem(field, MESSAGES.well_formed);
      return -1;
    }
    const text = required ? trimText(decoded) : decoded;
    if (required && text === '') {
      this.problem(field, MESSAGES.non_empty);
      return -1;
    }
    const index = words.findIndex((word) => word.toString('latin1') === text);
    if (index < 0) this.problem(field, fill(MESSAGES.one_of, { values: words.join(', ') }));
    return index;
  }

  /** A non-negative integer; `absent` when there is none. */
  integer(field: FieldName, absent: number): number {
    if (this.isAbsent(field)) return absent;
    const slot = this.item + SLOT[field];
    const start = this.spans[slot]!;
    const value = isNumber(this.body[start]!)
      ? parseInteger(this.body, start, this.spans[slot + 1]!)
      : Number.NaN;
    if (Number.isNaN(value)) this.problem(field, MESSAGES.integer);
    return value;
  }

  costNanos(): number {
    if (this.isAbsent('cost_usd')) return Number.NaN;
    const slot = this.item + SLOT.cost_usd;
    const start = this.spans[slot]!;
    const value = isNumber(this.body[start]!) ? parseNumber(this.body, start, this.spans[slot + 1]!) : -1;
    if (value < 0) {
      this.problem('cost_usd', MESSAGES.number);
    } else if (value > LIMITS.max_cost_usd) {
      this.problem('cost_usd', fill(MESSAGES.max_number, { limit: LIMITS.max_cost_usd }));
    } else {
      return nanosFromUsd(value);
    }
    return Number.NaN;
  }

  clientTimestamp(): number {
    if (this.isAbsent('client_timestamp')) return Number.NaN;
    const { body } = this;
    const slot = this.item + SLOT.client_timestamp;
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    if (body[start] !== QUOTE) {
      this.problem('client_timestamp', MESSAGES.timestamp_string);
      return Number.NaN;
    }
    let value = parseTimestampBytes(body, start + 1, end - 1);
    if (Number.isNaN(value)) {
      const decoded = decodeString(body, start + 1, end - 1);
      if (decoded === undefined) {
        this.problem('client_timestamp', MESSAGES.well_formed);
        return Number.NaN;
      }
      const bytes = Buffer.from(decoded);
      value = parseTimestampBytes(bytes, 0, bytes.length);
      if (Number.isNaN(value)) this.problem('client_timestamp', MESSAGES.timestamp);
    }
    return value;
  }

  metadata(column: number, maxBytes: number): boolean {
    const ints = this.table.ints;
    const slot = this.item + SLOT.metadata;
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    const absent = start === 0 || (this.body[start] === 0x6e && end - start === 4);
    ints[column] = absent ? 0 : start;
    ints[column + 1] = absent ? 0 : end;
    if (absent || end - start <= maxBytes) return false;
    const summary = truncateMetadata(this.body, start, end, maxBytes);
    if (summary === undefined) return false;
    this.table.putText(column, summary);
    return true;
  }
}

/**
 * Checks items of a scanned body one after the other. A valid one becomes the next row of the table; one with
 * problems leaves no row, and the problems are returned.
 */
export function validator(
  raw: RawEvents,
  table: EventTable,
  maxMetadataBytes: number,
): (index: number) => readonly FieldError[] | undefined {
  const checker = new Checker(raw, table);
  return (index) => validateEvent(checker, raw.at(index), maxMetadataBytes);
}

function validateEvent(
  checker: Checker,
  item: number,
  maxMetadataBytes: number,
): readonly FieldError[] | undefined {
  checker.item = item;
  checker.problems = undefined;
  if (checker.body[checker.spans[item]!] !== 0x7b) return [{ field: 'body', message: MESSAGES.object }];
  const { table } = checker;
  const int = table.count * INT_WIDTH;
  const number = table.count * NUMBER_WIDTH;
  const { ints, numbers } = table;

  checker.text('session_id', int + INT.sessionId, true);
  checker.text('agent_type', int + INT.agentType, true);
  const eventType = checker.choice('event_type', EVENT_TYPES, true);
  const status = checker.choice('status', STATUSES, false);
  checker.text('event_id', int + INT.eventId, false);
  checker.text('tool_name', int + INT.toolName, false);
  checker.text('branch', int + INT.branch, false);
  checker.text('project', int + INT.project, false);
  checker.text('model', int + INT.model, false);
  numbers[number + NUMBER.durationMs] = checker.integer('duration_ms', Number.NaN);
  numbers[number + NUMBER.tokensIn] = checker.integer('tokens_in', 0);
  numbers[number + NUMBER.tokensOut] = checker.integer('tokens_out', 0);
  numbers[number + NUMBER.cacheReadTokens] = checker.integer('cache_read_tokens', 0);
  numbers[number + NUMBER.cacheWriteTokens] = checker.integer('cache_write_tokens', 0);
  numbers[number + NUMBER.costNanos] = checker.costNanos();
  numbers[number + NUMBER.clientTimestamp] = checker.clientTimestamp();
  const source = checker.choice('source', SOURCES, false);
  if (checker.problems !== undefined) return checker.problems;

  ints[int + INT.eventType] = eventType;
  ints[int + INT.status] = status >= 0 ? status : eventType === ERROR_TYPE ? ERROR_STATUS : SUCCESS_STATUS;
  ints[int + INT.source] = source >= 0 ? source : API_SOURCE;
  ints[int + INT.truncated] = checker.metadata(int + INT.metadata, maxMetadataBytes) ? 1 : 0;
  table.count++;
  return undefined;
}

/** Whether a string has no escapes and nothing to trim: its ends are visible ASCII. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  if (start === end) return false;
  const first = bytes[start]!;
  const last = bytes[end - 1]!;
  if (first <= 0x20 || first >= 0x7f || last <= 0x20 || last >= 0x7f) return false;
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return false;
  return true;
}

function indexOfWord(bytes: Buffer, start: number, end: number, words: readonly Buffer[]): number {
  const length = end - start;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.length !== length) continue;
    let at = 0;
    while (at < length && bytes[start + at] === word[at]) at++;
    if (at === length) return i;
  }
  return -1;
}

/** A digit or a minus: how a JSON number begins. */
function isNumber(first: number): boolean {
  return first === 0x2d || (first >= 0x30 && first <= 0x39);
}
