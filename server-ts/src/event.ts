/**
 * Describes an event before it is stored: the places of its fields in a body, their values, and its outcome.
 *
 * Both forms are tables of numbers instead of objects. A batch of any length takes two allocations, and the normalised
 * table reaches the writer's thread without a copy. Text stays in the body as a range of bytes. `extra` holds text that
 * had to change: decoded escapes, trimmed multi-byte white space, summaries. Its positions continue after the body's.
 */
import { Buffer } from 'node:buffer';
import type { Buffers } from './buffers.ts';
import { VOCABULARY } from './contract.ts';
import {
  FIELD,
  FIELD_SPECS,
  FIELDS,
  type FieldName,
  INT_WIDTH,
  NUMBER_WIDTH,
  TRUNCATED,
  WHOLE,
} from './field.ts';
import { nanosFromUsd } from './number.ts';

/** A problem of one field; `body` for an item that is not an object. */
export interface FieldError {
  readonly field: FieldName | 'body';
  readonly message: string;
}

/** The results of the items of one request. */
export interface Outcomes {
  /** Items with problems, in order. */
  readonly rejected: readonly Rejected[];
  /** For valid items, in order: the stored id, or 0 for a duplicate. */
  readonly ids: Float64Array;
  /** The id of the newest event after the commit (rule ING-11). */
  readonly revision: number;
}

export interface Rejected {
  /** Its index in the request, from 0. */
  readonly index: number;
  /** Its line, from 1, for a format with lines (rule FMT-02). */
  readonly line: number | undefined;
  readonly errors: readonly FieldError[];
}

/**
 * Number of positions per item: a start and an end of the item itself, then of each field. Only single events record
 * the item's end.
 */
const RAW_WIDTH = 2 * (FIELDS.length + 1);

/** Marks the span of an item that is not JSON (rule FMT-02), or of metadata that is not JSON (rule FMT-05). */
export const NOT_JSON = -1;

/** The places of the fields of a body's items: bytes from a start up to an end, including the quotes of a string. */
export class RawEvents {
  count = 0;
  spans: Int32Array<ArrayBuffer> = new Int32Array(RAW_WIDTH * 64);
  /** The line of each item, from 1; empty for a format without lines. */
  lines: number[] = [];

  /** Starts the next item and returns its position in `spans`. */
  add(): number {
    const at = this.count * RAW_WIDTH;
    if (at === this.spans.length) {
      const larger = new Int32Array(this.spans.length * 2);
      larger.set(this.spans);
      this.free();
      this.spans = larger;
    }
    this.count++;
    return at;
  }

  /** Removes all items and clears their spans for reuse. */
  clear(): void {
    this.spans.fill(0, 0, this.count * RAW_WIDTH);
    this.count = 0;
    if (this.lines.length > 0) this.lines = [];
  }

  /** Frees its memory now; V8 would keep it as garbage for long. Nothing reads the spans afterwards. */
  free(): void {
    this.spans.buffer.transfer(0);
  }

  /** Adds an item that is not JSON (rule FMT-02). */
  addNotJson(): void {
    this.add();
    this.setNotJson();
  }

  /** Marks the last item as not JSON (rule FMT-02). */
  setNotJson(): void {
    const item = this.at(this.count - 1);
    this.spans.fill(0, item, item + RAW_WIDTH);
    this.spans[item] = NOT_JSON;
  }

  /** Returns whether item `index` is JSON. */
  isJson(index: number): boolean {
    return this.spans[this.at(index)] !== NOT_JSON;
  }

  /** Sets the span of a field of the item at this position; an end of 0 means absent. */
  put(item: number, field: FieldName, start: number, end: number): void {
    const slot = item + FIELD[field].span;
    this.spans[slot] = start;
    this.spans[slot + 1] = end;
  }

  /** Returns the position of item `index` in `spans`. */
  at(index: number): number {
    return index * RAW_WIDTH;
  }
}

/** Returns the size in bytes of the tables for this many events. */
export function tableBytes(capacity: number): number {
  return (
    capacity * (NUMBER_WIDTH * Float64Array.BYTES_PER_ELEMENT + INT_WIDTH * Int32Array.BYTES_PER_ELEMENT)
  );
}

/** Returns the table of numbers in the memory of an `EventTable`. */
export function numbersIn(memory: ArrayBufferLike, capacity: number): Float64Array {
  return new Float64Array(memory, 0, capacity * NUMBER_WIDTH);
}

/** Returns the table of integers, which follows the table of numbers. */
export function intsIn(memory: ArrayBufferLike, capacity: number): Int32Array {
  const start = capacity * NUMBER_WIDTH * Float64Array.BYTES_PER_ELEMENT;
  return new Int32Array(memory, start, capacity * INT_WIDTH);
}

/**
 * Valid, normalised events of one request (rules EVT-01 to EVT-12, MET-02). `field` assigns the columns of `ints` and
 * `numbers`. A text with equal positions is null, and the number NaN is null.
 */
export class EventTable {
  readonly body: Buffer;
  readonly memory: ArrayBufferLike;
  readonly numbers: Float64Array;
  readonly ints: Int32Array;
  readonly capacity: number;
  count = 0;
  /** Bytes of text that differs from the body's bytes. */
  extra: Buffer | undefined;
  private extraLength = 0;
  private readonly buffers: Buffers;

  /** Makes room for `capacity` events; both tables share one block of memory. */
  constructor(body: Buffer, capacity: number, buffers: Buffers) {
    const memory = buffers.take(tableBytes(capacity));
    this.body = body;
    this.memory = memory;
    this.capacity = capacity;
    this.buffers = buffers;
    this.numbers = numbersIn(memory, capacity);
    this.ints = intsIn(memory, capacity);
  }

  /** Stores text that is not in the body, and puts its range into two columns of `ints`. */
  putText(at: number, text: string): void {
    const length = Buffer.byteLength(text);
    const needed = this.extraLength + length;
    if (this.extra === undefined || this.extra.length < needed) {
      const larger = Buffer.from(this.buffers.take(needed * 2));
      if (this.extra !== undefined) {
        this.extra.copy(larger, 0, 0, this.extraLength);
        this.buffers.give(this.extra.buffer);
      }
      this.extra = larger;
    }
    this.extra.write(text, this.extraLength, length, 'utf8');
    this.ints[at] = this.body.length + this.extraLength;
    this.ints[at + 1] = this.body.length + needed;
    this.extraLength = needed;
  }

  /** Gives the row at `int` a summary, and keeps the range of its metadata as that of the whole text (rule MET-04). */
  summarise(int: number, summary: string): void {
    const { ints } = this;
    const metadata = int + FIELD.metadata.column;
    ints[int + WHOLE] = ints[metadata]!;
    ints[int + WHOLE + 1] = ints[metadata + 1]!;
    ints[int + TRUNCATED] = 1;
    this.putText(metadata, summary);
  }

  /**
   * Gives every field of the next row its value, or its absent value, since the memory is reused. The values are valid;
   * the metadata follows.
   */
  startRow(eventType: string, source: string, fields: ReadonlyMap<string, string | number>): void {
    const { count, ints, numbers } = this;
    const int = count * INT_WIDTH;
    ints.fill(0, int, int + INT_WIDTH);
    for (const { name, kind, column, absent } of FIELD_SPECS) {
      const value = fields.get(name);
      if (kind === 'text') {
        if (value !== undefined) this.putText(int + column, value as string);
      } else if (kind === 'choice') {
        ints[int + column] = absent;
      } else if (kind !== 'json') {
        const number = kind === 'dollars' && value !== undefined ? nanosFromUsd(value as number) : value;
        numbers[count * NUMBER_WIDTH + column] = (number as number | undefined) ?? absent;
      }
    }
    ints[int + FIELD.event_type.column] = (VOCABULARY.event_types as readonly string[]).indexOf(eventType);
    ints[int + FIELD.source.column] = (VOCABULARY.sources as readonly string[]).indexOf(source);
    // Rule EVT-03.
    const status = fields.get('status') ?? (eventType === 'error' ? 'error' : 'success');
    ints[int + FIELD.status.column] = (VOCABULARY.statuses as readonly string[]).indexOf(status as string);
  }

  /** Returns the text whose range is in two columns of `ints`. */
  textAt(at: number): string {
    const { bytes, start, end } = this.rangeAt(at);
    return bytes.toString('utf8', start, end);
  }

  /** Returns the bytes whose range is in two columns of `ints`. They stay valid until the next text is put. */
  rangeAt(at: number): { readonly bytes: Buffer; readonly start: number; readonly end: number } {
    const { body, extra } = this;
    const [start, end] = [this.ints[at]!, this.ints[at + 1]!];
    if (start < body.length || extra === undefined) return { bytes: body, start, end };
    return { bytes: extra, start: start - body.length, end: end - body.length };
  }

  /** Gives all its memory back, including the body's. No reader may use it afterwards. */
  release(): void {
    const { buffers, body, memory, extra } = this;
    buffers.give(body.buffer);
    buffers.give(memory);
    if (extra !== undefined) buffers.give(extra.buffer);
  }
}
