/**
 * Checks a body in Protobuf before a library decodes it (rules FMT-03 and FMT-06).
 *
 * Pure. Invariant: the check allocates nothing except the places of the events, whatever the body declares. A body
 * that passes is well-formed to its last byte.
 */
import { FIELDS_FILE, LIMITS } from '../contract.ts';
import type { FieldKind } from '../field.ts';
import type { Places } from './batch.ts';
import { type Fault, refusal } from './fault.ts';
import { isUtf8Range } from './utf8.ts';

/** The number of `events` in the message `IngestBatch`. */
const EVENTS = 1;
const MOST_NUMBER = LIMITS.max_field_number;
/** Bytes per slice; other requests run between slices. */
const SLICE_BYTES = 1 << 17;

/** Longest varint, and longest varint of a tag, whose value has 32 bits (https://protobuf.dev/programming-guides/encoding). */
const MOST_BYTES = 10;
const TAG_BYTES = 5;

/** The wire type of a known field, and whether it is text. */
export interface WireForm {
  readonly wireType: number;
  readonly isText: boolean;
}

const BYTES: WireForm = { wireType: 2, isText: false };
/** The fields of the message `IngestBatch` by their numbers. */
const BATCH_FORMS: readonly (WireForm | undefined)[] = Array.from({ length: EVENTS + 1 }, (_, number) =>
  number === EVENTS ? BYTES : undefined,
);
/** The fields of the message `Event` by their numbers. */
const FORMS: readonly (WireForm | undefined)[] = formsByNumber();

/** Checks a body that is an `Event`. */
export function checkEvent(body: Buffer): void {
  new Walker(body).event(body.length, body.length);
}

/** Checks a body that is an `IngestBatch`, in slices. Events after the first `maxItems` are counted but not kept. */
export function* checkBatch(body: Buffer, maxItems: number): Generator<void, Places> {
  const walker = new Walker(body);
  const events: number[] = [];
  let count = 0;
  let pause = SLICE_BYTES;
  while (walker.at < body.length) {
    const number = walker.tag(body.length, BATCH_FORMS);
    const end = walker.value(body.length);
    if (number === EVENTS) {
      const start = walker.at;
      while (!walker.event(end, pause)) {
        yield;
        pause = walker.at + SLICE_BYTES;
      }
      if (count < maxItems) events.push(start, end);
      count++;
    }
    walker.at = end;
    if (end > pause) {
      yield;
      pause = end + SLICE_BYTES;
    }
  }
  return { events, count };
}

/** Walks through a message, field by field. */
export class Walker {
  /** Number of bytes passed. */
  at = 0;
  private readonly bytes: Buffer;
  private wireType = 0;
  private form: WireForm | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * Checks the fields of an `Event` up to `end`. Returns whether it reached the end; otherwise the walker is past
   * `pause`.
   */
  event(end: number, pause: number): boolean {
    while (this.at < end) {
      if (this.at > pause) return false;
      this.tag(end, FORMS);
      const valueEnd = this.value(end);
      if (this.form?.isText === true && !isUtf8Range(this.bytes, this.at, valueEnd)) fail('utf8');
      this.at = valueEnd;
    }
    return true;
  }

  /** Takes the tag of a field; returns its number. `forms` holds the known fields by their numbers. */
  tag(end: number, forms: readonly (WireForm | undefined)[]): number {
    const { bytes } = this;
    const first = bytes[this.at]!;
    const tag = this.varint(end, TAG_BYTES);
    this.wireType = first & 7;
    const number = tag < 0x80 ? tag >> 3 : Math.floor(tag / 8);
    if (number === 0 || number > MOST_NUMBER) fail('field');
    const { wireType } = this;
    if (wireType !== 0 && wireType !== 1 && wireType !== 2 && wireType !== 5) fail('wire_type');
    this.form = number < forms.length ? forms[number] : undefined;
    if (this.form !== undefined && this.form.wireType !== wireType) fail('field_type');
    return number;
  }

  /** Returns the end of the field's value; takes its length if it has one. */
  value(end: number): number {
    switch (this.wireType) {
      case 0: {
        const start = this.at;
        this.varint(end);
        const valueEnd = this.at;
        this.at = start;
        return valueEnd;
      }
      case 1:
        return this.endOf(8, end);
      case 5:
        return this.endOf(4, end);
      default: {
        const length = this.varint(end);
        return this.endOf(length, end);
      }
    }
  }

  private endOf(length: number, end: number): number {
    if (length > end - this.at) fail('truncated');
    return this.at + length;
  }

  /** Takes a varint of at most this many bytes, and of at most 64 bits; above 2^53 the result is approximate. */
  private varint(end: number, most = MOST_BYTES): number {
    const { bytes } = this;
    if (this.at < end && bytes[this.at]! < 0x80) return bytes[this.at++]!;
    let value = 0;
    let weight = 1;
    for (let place = 1; ; place++) {
      if (this.at >= end) fail('truncated');
      const byte = bytes[this.at++]!;
      // 64 bits leave one bit for the tenth byte.
      if (place === MOST_BYTES && byte > 1) fail('varint');
      if (place === most && byte >= 0x80) fail('tag');
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
      weight *= 128;
    }
  }
}

function formsByNumber(): (WireForm | undefined)[] {
  const forms: (WireForm | undefined)[] = [];
  const columns = { ...FIELDS_FILE.fields, ...FIELDS_FILE.server_columns };
  for (const { kind, protobuf } of Object.values(columns)) forms[protobuf] = formOfKind(kind as FieldKind);
  // A list without holes is faster to index.
  return Array.from(forms);
}

function formOfKind(kind: FieldKind): WireForm {
  if (kind === 'text') return { wireType: 2, isText: true };
  if (kind === 'json') return BYTES;
  return { wireType: kind === 'dollars' ? 1 : 0, isText: false };
}

function fail(fault: Fault): never {
  throw refusal('invalid_protobuf', fault);
}
