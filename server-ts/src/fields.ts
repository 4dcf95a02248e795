/**
 * Checks one field at a time: its value, or the one problem that is reported for it (rules EVT-01 to EVT-12).
 *
 * Pure. The common case (no escapes, nothing to trim) touches bytes only and makes no string.
 */
import { fill, LIMITS, VOCABULARY } from './contract.ts';
import { type EventTable, type FieldError, NOT_JSON, type RawEvents } from './event.ts';
import { FIELD, type FieldName, type FieldSpec, INT_WIDTH, NUMBER_WIDTH, TRUNCATED, WHOLE } from './field.ts';
import { nanosFromUsd, parseInteger, parseNumber } from './number.ts';
import { decodeString, isPlain, trimText } from './text.ts';
import { parseTimestampBytes } from './timestamp.ts';
import { isSummary, truncateMetadata } from './truncate.ts';

const MESSAGES = VOCABULARY.field_messages;
const QUOTE = 0x22;

/** Checks the fields of one body; `problems` belong to the current item. */
export class Checker {
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

  /** Puts the value of a field into its column of the next row, by its rule. Does not handle metadata. */
  value(field: FieldSpec): void {
    const { table } = this;
    switch (field.kind) {
      case 'text':
        this.text(field, table.count * INT_WIDTH + field.column);
        break;
      case 'choice':
        table.ints[table.count * INT_WIDTH + field.column] = this.choice(field);
        break;
      case 'integer':
        table.numbers[table.count * NUMBER_WIDTH + field.column] = this.integer(field);
        break;
      case 'dollars':
        table.numbers[table.count * NUMBER_WIDTH + field.column] = this.dollars(field);
        break;
      case 'timestamp':
        table.numbers[table.count * NUMBER_WIDTH + field.column] = this.timestamp(field);
        break;
      case 'json':
        this.jsonText(field);
        break;
    }
  }

  /** Returns whether the field is absent; `null` counts as absent (rule EVT-10). */
  isAbsent(field: FieldSpec): boolean {
    const start = this.spans[this.item + field.span]!;
    return start === 0 || this.body[start] === 0x6e;
  }

  /** Reports metadata of a binary format that is not JSON text (rule FMT-05). */
  private jsonText(field: FieldSpec): void {
    if (this.spans[this.item + field.span] === NOT_JSON) this.problem(field.name, MESSAGES.json_text);
  }

  /** Puts a trimmed, bounded text into two columns; equal positions when it is absent. */
  private text(field: FieldSpec, column: number): void {
    const { body, table } = this;
    const ints = table.ints;
    const slot = this.item + field.span;
    let start = this.spans[slot]!;
    let end = this.spans[slot + 1]!;
    const first = body[start];
    if (first !== QUOTE || start === 0) {
      if (field.isRequired) this.problem(field.name, MESSAGES.string);
      else if (start !== 0 && first !== 0x6e) this.problem(field.name, MESSAGES.string_when_provided);
      ints[column] = 0;
      ints[column + 1] = 0;
      return;
    }
    start++;
    end--;
    if (isPlain(body, start, end)) {
      ints[column] = start;
      ints[column + 1] = end;
      this.checkLength(field, column);
      return;
    }
    const decoded = decodeString(body, start, end);
    if (decoded === undefined) this.problem(field.name, MESSAGES.well_formed);
    else this.putTrimmed(field, column, decoded);
  }

  private putTrimmed(field: FieldSpec, column: number, text: string): void {
    const { ints } = this.table;
    const trimmed = trimText(text);
    if (trimmed === '') {
      if (field.isRequired) this.problem(field.name, MESSAGES.non_empty);
      ints[column] = 0;
      ints[column + 1] = 0;
      return;
    }
    this.table.putText(column, trimmed);
    this.checkLength(field, column);
  }

  private checkLength({ name, maxBytes }: FieldSpec, column: number): void {
    const { ints } = this.table;
    if (ints[column + 1]! - ints[column]! > maxBytes)
      this.problem(name, fill(MESSAGES.max_bytes, { limit: maxBytes }));
  }

  /** Returns the index of a word of the vocabulary. Any other word is a problem. */
  private choice(field: FieldSpec): number {
    const { body } = this;
    const { words, isRequired, name } = field;
    const slot = this.item + field.span;
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    if (body[start] !== QUOTE || start === 0) {
      if (isRequired) this.problem(name, MESSAGES.string);
      else if (!this.isAbsent(field)) this.problem(name, MESSAGES.string_when_provided);
      return field.absent;
    }
    const exact = indexOfWord(body, start + 1, end - 1, words);
    if (exact >= 0) return exact;
    const decoded = decodeString(body, start + 1, end - 1);
    if (decoded === undefined) {
      this.problem(name, MESSAGES.well_formed);
      return -1;
    }
    const text = field.isTrimmed ? trimText(decoded) : decoded;
    if (isRequired && text === '') {
      this.problem(name, MESSAGES.non_empty);
      return -1;
    }
    const index = words.findIndex((word) => word.toString('latin1') === text);
    if (index < 0) this.problem(name, fill(MESSAGES.one_of, { values: words.join(', ') }));
    return index;
  }

  private integer(field: FieldSpec): number {
    if (this.isAbsent(field)) return field.absent;
    const slot = this.item + field.span;
    const start = this.spans[slot]!;
    const value = isNumber(this.body[start]!)
      ? parseInteger(this.body, start, this.spans[slot + 1]!)
      : Number.NaN;
    if (Number.isNaN(value)) this.problem(field.name, MESSAGES.integer);
    return value;
  }

  /** Returns the amount in nano-dollars. */
  private dollars(field: FieldSpec): number {
    if (this.isAbsent(field)) return field.absent;
    const slot = this.item + field.span;
    const start = this.spans[slot]!;
    const value = isNumber(this.body[start]!) ? parseNumber(this.body, start, this.spans[slot + 1]!) : -1;
    if (value < 0) {
      this.problem(field.name, MESSAGES.number);
    } else if (value > LIMITS.max_cost_usd) {
      this.problem(field.name, fill(MESSAGES.max_number, { limit: LIMITS.max_cost_usd }));
    } else {
      return nanosFromUsd(value);
    }
    return Number.NaN;
  }

  /** Returns the time in Unix milliseconds. */
  private timestamp(field: FieldSpec): number {
    if (this.isAbsent(field)) return field.absent;
    const { body } = this;
    const slot = this.item + field.span;
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    if (body[start] !== QUOTE) {
      this.problem(field.name, MESSAGES.timestamp_string);
      return Number.NaN;
    }
    let value = parseTimestampBytes(body, start + 1, end - 1);
    if (Number.isNaN(value)) {
      const decoded = decodeString(body, start + 1, end - 1);
      if (decoded === undefined) {
        this.problem(field.name, MESSAGES.well_formed);
        return Number.NaN;
      }
      const bytes = Buffer.from(decoded);
      value = parseTimestampBytes(bytes, 0, bytes.length);
      if (Number.isNaN(value)) this.problem(field.name, MESSAGES.timestamp);
    }
    return value;
  }

  /** Puts the metadata, or a summary, into the columns of the next row (rules MET-01, MET-02). */
  metadata(maxBytes: number): void {
    const field = FIELD.metadata;
    const slot = this.item + field.span;
    const int = this.table.count * INT_WIDTH;
    const column = int + field.column;
    const start = this.spans[slot]!;
    const end = this.spans[slot + 1]!;
    const absent = start === 0 || (this.body[start] === 0x6e && end - start === 4);
    const { ints } = this.table;
    ints[column] = absent ? 0 : start;
    ints[column + 1] = absent ? 0 : end;
    ints[int + WHOLE] = 0;
    ints[int + WHOLE + 1] = 0;
    ints[int + TRUNCATED] = !absent && isSummary(this.body, start, end) ? 1 : 0;
    if (absent || end - start <= maxBytes) return;
    const summary = truncateMetadata(this.body, start, end, maxBytes);
    if (summary !== undefined) this.table.summarise(int, summary);
  }
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

/** Returns whether a byte starts a JSON number: a digit or a minus. */
function isNumber(first: number): boolean {
  return first === 0x2d || (first >= 0x30 && first <= 0x39);
}
