/**
 * Reads Protobuf: turns the events of a body into JSON tokens (rules FMT-06 and FMT-07).
 *
 * Invariant: a body is checked before the library decodes it. So an error of the library is an internal error of this
 * server. The library reads tags, lengths and numbers; texts are copied as bytes of the body.
 */
import type { BinaryReader as Reader } from '@bufbuild/protobuf/wire';
import type { Buffers } from '../buffers.ts';
import { FIELDS_FILE } from '../contract.ts';
import type { RawEvents } from '../event.ts';
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { formatTimestamp, isInRange } from '../timestamp.ts';
import type { RawBatch } from './batch.ts';
import { checkBatch, checkEvent } from './protobuf-check.ts';
import { Tokens } from './tokens.ts';
import { isUtf8Range } from './utf8.ts';

const { BinaryReader } = await import('@bufbuild/protobuf/wire');

/** Events per slice; other requests run between slices. */
const SLICE_EVENTS = 1000;
/** Replaces the number of an unknown word; no list holds this text (rule FMT-07). */
const NO_WORD = '?';
/** Replaces a time outside the range; it is not a timestamp (rule FMT-07). */
const NO_TIME = '';
/** Largest number of bytes of a short varint, which is an integer of 28 bits. */
const SHORT_VARINT = 4;

const FIELDS_BY_NUMBER: readonly (FieldSpec | undefined)[] = byNumber();

/** Reads the one event of a body; returns the text that its spans refer to. */
export function readProtobufEvent(body: Buffer, raw: RawEvents, buffers: Buffers): Buffer {
  checkEvent(body);
  const tokens = new Tokens(buffers, raw, body.length);
  decodeEvent(body, new BinaryReader(body), body.length, tokens);
  return tokens.finish();
}

/** Reads the events of a body, in slices. Above `maxItems` events it keeps none. */
export function* readProtobufBatch(
  body: Buffer,
  raw: RawEvents,
  maxItems: number,
  buffers: Buffers,
): Generator<void, RawBatch> {
  const { events, count } = yield* checkBatch(body, maxItems);
  if (count > maxItems) return { body, count };
  const tokens = new Tokens(buffers, raw, body.length);
  const reader = new BinaryReader(body);
  for (let index = 0; index < count; index++) {
    reader.pos = events[2 * index]!;
    decodeEvent(body, reader, events[2 * index + 1]!, tokens);
    if (index % SLICE_EVENTS === SLICE_EVENTS - 1) yield;
  }
  return { body: tokens.finish(), count };
}

/** Decodes the event from the reader's position up to `end`. */
function decodeEvent(body: Buffer, reader: Reader, end: number, tokens: Tokens): void {
  tokens.event(true);
  while (reader.pos < end) {
    const tag = reader.uint32();
    const number = tag >>> 3;
    const field = number < FIELDS_BY_NUMBER.length ? FIELDS_BY_NUMBER[number] : undefined;
    if (field === undefined) reader.skip(tag & 7, number);
    else decodeValue(body, reader, field, tokens);
  }
}

/**
 * Writes the token of a value. A value that JSON cannot express becomes a token with the same problem (rule FMT-07).
 */
function decodeValue(body: Buffer, reader: Reader, field: FieldSpec, tokens: Tokens): void {
  switch (field.kind) {
    case 'text':
    case 'json': {
      const length = reader.uint32();
      const start = reader.pos;
      reader.pos = start + length;
      if (field.kind === 'text') tokens.textOf(field, body, start, reader.pos);
      else if (isUtf8Range(body, start, reader.pos)) tokens.metadata(body, start, reader.pos);
      else tokens.notJson();
      break;
    }
    case 'choice': {
      const number = reader.int32();
      const word = field.words[number - 1];
      // Numbers of words begin at 1; 0 means absent.
      if (number === 0) tokens.absent(field);
      else if (word === undefined) tokens.text(field, NO_WORD);
      else tokens.textOf(field, word, 0, word.length);
      break;
    }
    case 'integer':
      tokens.integer(field, isShort(body, reader.pos) ? reader.uint32() : reader.uint64().toString());
      break;
    case 'dollars':
      tokens.number(field, reader.double());
      break;
    case 'timestamp': {
      const ms = Number(reader.int64());
      tokens.text(field, isInRange(ms) ? formatTimestamp(ms) : NO_TIME);
      break;
    }
  }
}

/** Returns whether the varint at `start` has at most four bytes. */
function isShort(body: Buffer, start: number): boolean {
  for (let at = start; at < start + SHORT_VARINT; at++) if (body[at]! < 0x80) return true;
  return false;
}

function byNumber(): (FieldSpec | undefined)[] {
  const list: (FieldSpec | undefined)[] = [];
  for (const spec of FIELD_SPECS) list[FIELDS_FILE.fields[spec.name].protobuf] = spec;
  return Array.from(list);
}
