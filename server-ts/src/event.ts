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

/** The fields of an event as sent, in the order in which their problems are reported, metadata last. */
export const FIELDS = [
  'session_id',
  'agent_type',
  'event_type',
  'status',
  'event_id',
  'tool_name',
  'branch',
  'project',
  'model',
  'duration_ms',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
  'client_timestamp',
  'source',
  'metadata',
] as const;

export type FieldName = (typeof FIELDS)[number];

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
  readonly errors: readonly FieldError[];
}

/** Pairs of start and end: the item itself, whose end is noted of single events only, then its fields. */
const RAW_WIDTH = 2 * (FIELDS.length + 1);

/** Where the fields of the items of a body lie: bytes from a start up to an end, the quotes of a string included. */
export class RawEvents {
  count = 0;
  spans = new Int32Array(RAW_WIDTH * 64);

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
  }

  /** Says where a field of the item at this place lies; absent for an end of 0. */
  put(item: number, field: FieldName, start: number, end: number): void {
    const slot = item + 2 * FIELDS.indexOf(field) + 2;
    this.spans[slot] = start;
    this.spans[slot + 1] = end;
  }

  /** The place of item `index` in `spans`. */
  at(index: number): number {
    return index * RAW_WIDTH;
  }
}

/** Columns of `EventTable.ints`: ranges of text as start and end (equal: absent), then indexes and a flag. */
export const INT = {
  sessionId: 0,
  eventId: 2,
  agentType: 4,
  toolName: 6,
  branch: 8,
  project: 10,
  model: 12,
  metadata: 14,
  /** Indexes into the lists of the vocabulary. */
  eventType: 16,
  status: 17,
  source: 18,
  /** 1 when the metadata is a summary. */
  truncated: 19,
} as const;
export const INT_WIDTH = 20;

/** Columns of `EventTable.numbers`; NaN is null. */
export const NUMBER = {
  tokensIn: 0,
  tokensOut: 1,
  cacheReadTokens: 2,
  cacheWriteTokens: 3,
  durationMs: 4,
  costNanos: 5,
  /** Unix milliseconds. */
  clientTimestamp: 6,
} as const;
export const NUMBER_WIDTH = 7;

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

/** Valid events of one request, normalised (rules EVT-01 to EVT-12, MET-02). */
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

  /** Gives all of its memory back, the body's too; nobody may read it any more. */
  release(): void {
    const { buffers, body, memory, extra } = this;
    buffers.give(body.buffer);
    buffers.give(memory);
    if (extra !== undefined) buffers.give(extra.buffer);
  }
}
