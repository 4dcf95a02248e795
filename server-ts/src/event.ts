/**
 * Describes an event on its way in: where its fields are in a body, their values, and its outcome.
 *
 * Both forms are tables of numbers instead of objects: a batch is two allocations, whatever its length, and
 * the normalised table crosses to the writer's thread without being copied. Text stays where it is, in the
 * body, as a range of bytes; text that had to change (escapes, trimming of multi-byte white space, summaries)
 * stands in `extra`, whose positions continue behind the body's.
 */
import { Buffer } from 'node:buffer';
import type { Buffers } from './buffers.ts';
import { FIELD, FIELDS, type FieldName, INT_WIDTH, NUMBER_WIDTH } from './field.ts';

/** What is wrong with one field; `body` for an item that is no object. */
export interface FieldError {
  readonly field: FieldName | 'body';
  readonly message: string;
}

/** What became of the items of one request. */
export interface Outcomes {
  /** Of the items with problems, in order. */
  readonly rejected: readonly Rejected[];
  /** Of the valid ones, in order: the id it is stored under, or 0 for a duplicate. */
  readonly ids: Float64Array;
  /** The newest event's id once they had committed (rule ING-11). */
  readonly revision: number;
}

export interface Rejected {
  /** Its place in the request, from 0. */
  readonly index: number;
  /** Its line, from 1, where the format has lines (rule FMT-02). */
  readonly line: number | undefined;
  readonly errors: readonly FieldError[];
}

/** Pairs of start and end: the item itself, whose end is noted of single events only, then its fields. */
const RAW_WIDTH = 2 * (FIELDS.length + 1);

/** Stands for the place of what is no JSON: an item (rule FMT-02), or metadata (rule FMT-05). */
export const NOT_JSON = -1;

/** Where the fields of the items of a body lie: bytes from a start up to an end, the quotes of a string included. */
export class RawEvents {
  count = 0;
  spans = new Int32Array(RAW_WIDTH * 64);
  /** The line of each, from 1; empty where the format has no lines. */
  lines: number[] = [];

  /** Begins the next item and returns its place in `spans`. */
  add(): number {
    const at = this.count * RAW_WIDTH;
    if (at === this.spans.length) {
      const larger = new Int32Array(this.spans.length * 2);
      larger.set(this.spans);
      this.spans = larger;
    }
    this.count++;
    return at;
  }

  /** Forgets all items, so that the next ones find no traces of them. */
  clear(): void {
    this.spans.fill(0, 0, this.count * RAW_WIDTH);
    this.count = 0;
    if (this.lines.length > 0) this.lines = [];
  }

  /** Adds an item that is no JSON (rule FMT-02). */
  addNotJson(): void {
    this.spans[this.add()] = NOT_JSON;
  }

  /** Marks the last item as no JSON (rule FMT-02). */
  setNotJson(): void {
    const item = this.at(this.count - 1);
    this.spans.fill(0, item, item + RAW_WIDTH);
    this.spans[item] = NOT_JSON;
  }

  /** Whether item `index` is JSON. */
  isJson(index: number): boolean {
    return this.spans[this.at(index)] !== NOT_JSON;
  }

  /** Says where a field of the item at this place lies; absent for an end of 0. */
  put(item: number, field: FieldName, start: number, end: number): void {
    const slot = item + FIELD[field].span;
    this.spans[slot] = start;
    this.spans[slot + 1] = end;
  }

  /** The place of item `index` in `spans`. */
  at(index: number): number {
    return index * RAW_WIDTH;
  }
}

/** How many bytes the tables of this many events take. */
export function tableBytes(capacity: number): number {
  return (
    capacity * (NUMBER_WIDTH * Float64Array.BYTES_PER_ELEMENT + INT_WIDTH * Int32Array.BYTES_PER_ELEMENT)
  );
}

/** The table of numbers in the memory of an `EventTable`. */
export function numbersIn(memory: ArrayBufferLike, capacity: number): Float64Array {
  return new Float64Array(memory, 0, capacity * NUMBER_WIDTH);
}

/** The table of integers behind it. */
export function intsIn(memory: ArrayBufferLike, capacity: number): Int32Array {
  const start = capacity * NUMBER_WIDTH * Float64Array.BYTES_PER_ELEMENT;
  return new Int32Array(memory, start, capacity * INT_WIDTH);
}

/**
 * Valid events of one request, normalised (rules EVT-01 to EVT-12, MET-02). `field` says which column of `ints` and
 * `numbers` is whose; equal positions of a text and NaN are null.
 */
export class EventTable {
  readonly body: Buffer;
  readonly memory: ArrayBufferLike;
  readonly numbers: Float64Array;
  readonly ints: Int32Array;
  readonly capacity: number;
  count = 0;
  /** Bytes of text that does not stand in the body as it is. */
  extra: Buffer | undefined;
  private extraLength = 0;
  private readonly buffers: Buffers;

  /** Room for `capacity` events; both tables share one piece of memory. */
  constructor(body: Buffer, capacity: number, buffers: Buffers) {
    const memory = buffers.take(tableBytes(capacity));
    this.body = body;
    this.memory = memory;
    this.capacity = capacity;
    this.buffers = buffers;
    this.numbers = numbersIn(memory, capacity);
    this.ints = intsIn(memory, capacity);
  }

  /** Keeps text that is not in the body, and puts its range into two columns of `ints`. */
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

  /** The text whose range is in two columns of `ints`. */
  textAt(at: number): string {
    const [start, end] = [this.ints[at]!, this.ints[at + 1]!];
    const behind = this.body.length;
    return start < behind
      ? this.body.toString('utf8', start, end)
      : this.extra!.toString('utf8', start - behind, end - behind);
  }

  /** Gives all of its memory back, the body's too; nobody may read it any more. */
  release(): void {
    const { buffers, body, memory, extra } = this;
    buffers.give(body.buffer);
    buffers.give(memory);
    if (extra !== undefined) buffers.give(extra.buffer);
  }
}
